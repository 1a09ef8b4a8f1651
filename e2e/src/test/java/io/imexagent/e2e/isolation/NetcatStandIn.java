package io.imexagent.e2e.isolation;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;

/**
 * The {@code nc} of busybox, as far as examples use it: {@code nc -l -p PORT -e PROGRAM…} and
 * {@code nc -w SECONDS HOST PORT -e PROGRAM…}. One connection, whose two directions are the program's input and output; the
 * exit code is that of the program.
 */
final class NetcatStandIn {

    private NetcatStandIn() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        List<String> words = List.of(args);
        try (Socket peer = words.getFirst().equals("-l") ? accepted(words) : connected(words)) {
            Process program = new ProcessBuilder(words.subList(words.indexOf("-e") + 1, words.size()))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Thread.ofPlatform().daemon().start(() -> {
                try (OutputStream input = program.getOutputStream()) {
                    copy(peer.getInputStream(), input);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            copy(program.getInputStream(), peer.getOutputStream());
            System.exit(program.waitFor());
        }
    }

    private static Socket accepted(List<String> words) throws IOException {
        try (var server = new ServerSocket(
                Integer.parseInt(words.get(words.indexOf("-p") + 1)), 1, InetAddress.getLoopbackAddress())) {
            return server.accept();
        }
    }

    private static Socket connected(List<String> words) throws IOException {
        var socket = new Socket();
        int limit = (int) Duration.ofSeconds(Integer.parseInt(words.get(words.indexOf("-w") + 1)))
                .toMillis();
        socket.connect(new InetSocketAddress(words.get(2), Integer.parseInt(words.get(3))), limit);
        return socket;
    }

    /** Copies what comes as it comes, until the end. */
    private static void copy(InputStream from, OutputStream to) throws IOException {
        byte[] bytes = new byte[256];
        for (int count = from.read(bytes); count >= 0; count = from.read(bytes)) {
            to.write(bytes, 0, count);
            to.flush();
        }
    }
}
