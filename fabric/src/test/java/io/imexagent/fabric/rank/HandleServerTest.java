package io.imexagent.fabric.rank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.fabric.rank.RankMemory.GpuOffer;
import io.imexagent.fabric.rank.RankMemory.MemoryOffer;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class HandleServerTest {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Frame.Offer offer = new Frame.Offer(
            "abcdef", List.of(new GpuOffer.GivenGpu("GPU-1", new MemoryOffer("0a".repeat(64), 2 << 20, "00ff"))));

    private RunToken token;
    private HandleServer server;

    @BeforeEach
    void listen() throws IOException {
        token = RunToken.of("0123456789abcdef".repeat(4));
        server = new HandleServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token, 0, 3, offer, RANDOM);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void givesItsHandlesToARankOfTheRun() throws IOException {
        try (HandleClient.OpenOffer open = client(token, 1).open(0)) {
            assertThat(open.offer()).isEqualTo(offer);
        }
    }

    @Test
    void theNextImporterWaitsUntilTheFirstCloses() throws Exception {
        HandleClient.OpenOffer first = client(token, 1).open(0);
        var second = Thread.ofVirtual().unstarted(() -> {
            try (HandleClient.OpenOffer open = client(token, 2).open(0)) {
                assertThat(open.offer()).isEqualTo(offer);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        second.start();

        assertThat(second.join(Duration.ofMillis(300))).isFalse();
        first.close();
        assertThat(second.join(Duration.ofSeconds(5))).isTrue();
    }

    @Test
    void waitsUntilAllOthersAreDone() throws Exception {
        client(token, 1).done(0);
        assertThat(server.awaitDone(Duration.ofMillis(100))).isFalse();
        client(token, 1).done(0);
        assertThat(server.awaitDone(Duration.ofMillis(100))).isFalse();
        client(token, 2).done(0);
        assertThat(server.awaitDone(Duration.ofSeconds(5))).isTrue();
    }

    @Test
    void closesAtAWrongToken() throws IOException {
        RunToken wrong = RunToken.of("f".repeat(64));

        assertThatThrownBy(() -> client(wrong, 1).open(0)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> client(wrong, 1).done(0)).isInstanceOf(IOException.class);
    }

    @Test
    void closesAtARankThatIsNoneOfTheRunOrMeansAnother() {
        assertThatThrownBy(() -> client(token, 3).open(0)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> client(token, 0).open(0)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> client(token, 1).open(2)).isInstanceOf(IOException.class);
    }

    @Test
    void closesAtARequestThatWasSentInAnotherConnection() throws IOException {
        byte[] recorded;
        try (Socket socket = connect()) {
            recorded = request(socket);
            send(socket, recorded);
            assertThat(socket.getInputStream().read()).isNotEqualTo(-1);
        }
        try (Socket socket = connect()) {
            byte[] _ = Frame.read(socket, 16, Duration.ofSeconds(10));
            send(socket, recorded);
            assertThat(closed(socket)).isTrue();
        }
    }

    @Test
    void closesAtAFrameThatIsTooLong() throws IOException {
        for (int length : new int[] {Integer.MAX_VALUE, -1, 1 << 20, 54}) {
            try (Socket socket = connect()) {
                byte[] _ = Frame.read(socket, 16, Duration.ofSeconds(10));
                socket.getOutputStream()
                        .write(ByteBuffer.allocate(4).putInt(length).array());
                assertThat(closed(socket)).isTrue();
            }
        }
    }

    @Test
    void closesAtGarbageAndServesTheNext() throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(closed(socket)).isTrue();
        }
        try (Socket socket = connect()) {
            byte[] _ = Frame.read(socket, 16, Duration.ofSeconds(10));
            send(socket, new byte[53]);
            assertThat(closed(socket)).isTrue();
        }
        try (HandleClient.OpenOffer open = client(token, 1).open(0)) {
            assertThat(open.offer()).isEqualTo(offer);
        }
    }

    @Test
    void closesAtARequestThatIsTooShort() {
        for (int length : new int[] {0, 1, Frame.Request.BYTES - 1, Frame.Request.BYTES + 1}) {
            assertThatThrownBy(() -> Frame.Request.of(new byte[length])).isInstanceOf(IOException.class);
        }
    }

    @Test
    void closesAtARequestThatTricklesInForTooLong() throws Exception {
        try (Socket socket = connect()) {
            long end = System.nanoTime() + HandleServer.REQUEST.plusSeconds(5).toNanos();
            socket.getOutputStream().write(ByteBuffer.allocate(4).putInt(53).array());
            assertThatThrownBy(() -> {
                        while (System.nanoTime() < end) {
                            socket.getOutputStream().write(0);
                            Thread.sleep(HandleServer.REQUEST.dividedBy(10));
                        }
                    })
                    .isInstanceOf(SocketException.class);
        }
    }

    @Test
    void connectionsWithoutTheTokenFromOneAddressKeepNoRankAway() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try {
            InetAddress attacker = InetAddress.getByAddress(new byte[] {127, 9, 9, 9});
            for (int count = 0; count < HandleServer.MOST_CONNECTIONS; count++) {
                idle.add(new Socket(InetAddress.getLoopbackAddress(), server.port(), attacker, 0));
            }
            try (HandleClient.OpenOffer open = client(token, 1).open(0)) {
                assertThat(open.offer()).isEqualTo(offer);
            }
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    @Test
    void aRankThatWantsSeveralTurnsAtOnceGetsOne() throws Exception {
        try (HandleClient.OpenOffer _ = client(token, 1).open(0)) {
            assertThatThrownBy(() -> client(token, 1).open(0)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aServerWithoutAChallengeGetsNoProof() throws Exception {
        try (var liar = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try (Socket client = liar.accept()) {
                    Frame.write(client.getOutputStream(), new byte[0]);
                    int _ = client.getInputStream().read();
                } catch (IOException over) {
                    assertThat(over).isNotNull();
                }
            });
            var client = new HandleClient(
                    token,
                    1,
                    rank -> new InetSocketAddress(InetAddress.getLoopbackAddress(), liar.getLocalPort()),
                    RANDOM);

            assertThatThrownBy(() -> client.open(0)).hasMessage("no challenge of a rank");
        }
    }

    @Test
    void anAnswerOfSomebodyWithoutTheTokenIsRefused() throws IOException {
        RunToken others = RunToken.of("e".repeat(64));
        try (var impostor = new HandleServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), others, 0, 3, offer, RANDOM)) {
            var client = new HandleClient(
                    token, 1, rank -> new InetSocketAddress(InetAddress.getLoopbackAddress(), impostor.port()), RANDOM);
            assertThatThrownBy(() -> client.open(0)).isInstanceOf(IOException.class);
        }
    }

    private byte[] request(Socket socket) throws IOException {
        byte[] challenge = Frame.read(socket, 16, Duration.ofSeconds(10));
        byte[] own = RunToken.challenge(RANDOM);
        byte[] wish = new Frame.Request(Frame.Wish.DONE, 1, 0).bytes();
        var frame = new ByteArrayOutputStream();
        frame.write(wish);
        frame.write(own);
        frame.write(token.proof(HandleServer.label("client"), challenge, own, wish));
        return frame.toByteArray();
    }

    private static void send(Socket socket, byte[] frame) throws IOException {
        Frame.write(socket.getOutputStream(), frame);
    }

    private Socket connect() throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(10_000);
        return socket;
    }

    /** Whether the server says nothing more than its challenge, and closes. */
    private static boolean closed(Socket socket) throws IOException {
        try {
            byte[] rest = new DataInputStream(socket.getInputStream()).readAllBytes();
            return rest.length == 0 || rest.length == 20;
        } catch (SocketException reset) {
            return true;
        }
    }

    private HandleClient client(RunToken secret, int rank) {
        return new HandleClient(
                secret,
                rank,
                server0 -> new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()),
                RANDOM);
    }
}
