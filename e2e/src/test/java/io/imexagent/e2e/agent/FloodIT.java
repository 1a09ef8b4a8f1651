package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A flood of the pages over HTTP, which are another event loop's than the kubelet's calls. */
@ExtendWith(Worlds.class)
class FloodIT {

    private static final int ADDRESSES = 8;
    private static final int OF_EACH = 50;

    private final List<Socket> flood = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Socket socket : flood) {
            socket.close();
        }
    }

    @Test
    void claimsArePreparedMeanwhile(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.startServing();
        int port = agent.awaitHttpPort();

        for (int i = 0; i < ADDRESSES * OF_EACH; i++) {
            connect("127.0.0." + (2 + i % ADDRESSES), port);
        }
        world.awaitPrepared(agent, workload);

        agent.awaitLine("http connections at their limit");
    }

    /** Begins a request, and leaves it at that. */
    private void connect(String from, int port) throws IOException {
        var socket = new Socket();
        flood.add(socket);
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
        socket.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
        try {
            socket.getOutputStream().write("GET /metrics HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException closed) {
            assertThat(closed).as("beyond the limit").isNotNull();
        }
    }
}
