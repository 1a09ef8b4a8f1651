package io.imexagent.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Condition;
import io.imexagent.dra.fake.GuardedVertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients cannot do to a server, over sockets of their own. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectionLimitsTest {

    private static final int MOST = 4;
    private static final int MOST_OF_ONE_ADDRESS = 3;
    private static final int LONG_MS = 30_000;
    private static final long NEVER_MS = Duration.ofHours(1).toMillis();
    private static final String ASK = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

    private final GuardedVertx vertx =
            new GuardedVertx(builder -> builder.withTransport(new LimitedTransport(MOST, MOST_OF_ONE_ADDRESS)));
    private final FakePages pages = new FakePages();
    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        vertx.close();
    }

    @Test
    void aConnectionBeyondTheLimitIsClosedAndTheOthersGoOn() throws Exception {
        int port = listen(NEVER_MS);
        Socket first = connect(port, "127.0.0.1");
        assertThat(ask(first)).startsWith("HTTP/1.1 200");
        connectedFor(port, "127.0.0.1", "127.0.0.2", "127.0.0.2");

        for (int i = 0; i < 20; i++) {
            assertThat(isServed(connect(port, "127.0.0.3"))).isFalse();
        }

        assertThat(ask(first)).startsWith("HTTP/1.1 200");
    }

    @Test
    void oneAddressLeavesRoomForOthers() throws Exception {
        int port = listen(NEVER_MS);
        connectedFor(port, "127.0.0.1", "127.0.0.1", "127.0.0.1");

        assertThat(isServed(connect(port, "127.0.0.1"))).isFalse();
        assertThat(ask(connect(port, "127.0.0.2"))).startsWith("HTTP/1.1 200");
    }

    @Test
    void aConnectionThatEndsMakesRoom() throws Exception {
        int port = listen(NEVER_MS);
        List<Socket> open = connectedFor(port, "127.0.0.1", "127.0.0.1", "127.0.0.1");

        open.getFirst().close();

        while (!isServed(connect(port, "127.0.0.1"))) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET /heal", "GET /healthz HTTP/1.1\r\nHost: x\r\n"})
    void whoDoesNotFinishARequestIsSentAway(String begun) throws Exception {
        Socket socket = connect(listen(200), "127.0.0.1");

        socket.getOutputStream().write(begun.getBytes(StandardCharsets.US_ASCII));

        assertThat(ends(socket)).isTrue();
    }

    @Test
    void aByteNowAndThenHoldsNoConnection() throws Exception {
        Socket socket = connect(listen(200), "127.0.0.1");
        socket.setSoTimeout(20);

        boolean open = true;
        while (open) {
            try {
                socket.getOutputStream().write('\r');
                open = socket.getInputStream().read() >= 0;
            } catch (SocketTimeoutException stillOpen) {
                open = true;
            } catch (IOException reset) {
                open = false;
            }
        }
        assertThat(open).isFalse();
    }

    @Test
    void whoTakesNoAnswerIsSentAway() throws Exception {
        pages.readiness(new Condition("long", true, "x".repeat(16 << 20)));
        int port = listen(1000);
        for (Socket socket : connectedFor(port, "127.0.0.1", "127.0.0.1", "127.0.0.1")) {
            socket.getOutputStream().write(ASK.replace("healthz", "readyz").getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(isServed(connect(port, "127.0.0.1"))).isFalse();

        // The answers fill the line, and nothing is read; only their end makes room.
        while (!isServed(connect(port, "127.0.0.1"))) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: 99999999\r\n"})
    void takesNoBody(String header) throws Exception {
        Socket socket = connect(listen(NEVER_MS), "127.0.0.1");

        assertThat(answer(socket, "GET /healthz HTTP/1.1\r\nHost: x\r\n" + header + "\r\n"))
                .startsWith("HTTP/1.1 413");
        assertThat(ends(socket)).isTrue();
    }

    @Test
    void takesNoLongHeadersAndNoLongLine() throws Exception {
        int port = listen(NEVER_MS);

        assertThat(answer(
                        connect(port, "127.0.0.1"),
                        "GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + "x".repeat(9000) + "\r\n\r\n"))
                .contains(" 431 ");
        assertThat(answer(connect(port, "127.0.0.1"), "GET /" + "x".repeat(3000) + " HTTP/1.1\r\nHost: x\r\n\r\n"))
                .contains(" 414 ");
    }

    private int listen(long slowMs) throws Exception {
        var server = new StatusServer(
                vertx.vertx(),
                new HttpSettings("0.0.0.0", 0, FakePages.PLAIN),
                pages,
                new FakeReviews(),
                false,
                new StatusServer.Tuning(NEVER_MS, slowMs, DocumentAccess::isLocal));
        return server.listen().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private List<Socket> connectedFor(int port, String... addresses) throws IOException {
        List<Socket> connected = new ArrayList<>();
        for (String address : addresses) {
            Socket socket = connect(port, address);
            assertThat(ask(socket)).startsWith("HTTP/1.1 200");
            connected.add(socket);
        }
        return connected;
    }

    /** A connection from this address of the loopback network. */
    private Socket connect(int port, String from) throws IOException {
        var socket = new Socket();
        sockets.add(socket);
        socket.setSoTimeout(LONG_MS);
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
        socket.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
        return socket;
    }

    private static String ask(Socket socket) throws IOException {
        return answer(socket, ASK);
    }

    /** The first line of the answer; what is left of its first kilobytes is read with it. */
    private static String answer(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        byte[] answer = new byte[8192];
        int length = socket.getInputStream().read(answer);
        return length < 0 ? "" : new String(answer, 0, length, StandardCharsets.US_ASCII);
    }

    /** Whether the server answers, and does not close the connection instead. */
    private static boolean isServed(Socket socket) throws IOException {
        try {
            if (ask(socket).startsWith("HTTP/1.1 200")) {
                return true;
            }
        } catch (SocketException reset) {
            // Closed, as without it.
        }
        socket.close();
        return false;
    }

    /** Whether the server ends a connection that it would otherwise leave open. */
    private static boolean ends(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException open) {
            return false;
        } catch (SocketException reset) {
            return true;
        }
    }
}
