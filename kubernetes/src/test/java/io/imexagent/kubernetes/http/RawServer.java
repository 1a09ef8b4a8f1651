package io.imexagent.kubernetes.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A server that answers each connection once, with bytes that no orderly server would send. */
final class RawServer implements AutoCloseable {

    /** Writes an answer. */
    @FunctionalInterface
    interface Answer {
        void write(OutputStream to) throws IOException;
    }

    private final ServerSocket socket;

    private RawServer(ServerSocket socket) {
        this.socket = socket;
    }

    /** A server whose bodies end with the connection, unless the answer says otherwise. */
    static RawServer answering(String head, Answer body) throws IOException {
        var server = new RawServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        Thread.ofVirtual().start(() -> server.serve(head, body));
        return server;
    }

    private void serve(String head, Answer body) {
        while (!socket.isClosed()) {
            try (Socket client = socket.accept()) {
                var request =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
                String line;
                do {
                    line = request.readLine();
                } while (line != null && !line.isEmpty());
                OutputStream to = client.getOutputStream();
                to.write(head.getBytes(StandardCharsets.US_ASCII));
                body.write(to);
                to.flush();
            } catch (IOException clientGone) {
                // The next one may stay.
            }
        }
    }

    String url() {
        return "http://127.0.0.1:" + socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
