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
 * The {@code nc} of busybox, as far as examples use it, where its getopt is strict, as musl's is: options stand before
 * operands, and {@code -e} takes all that follows. {@code nc -l -p PORT -e PROGRAM…} gives one connection to a program as
 * input and output, and ends with its exit code. {@code nc -w SECONDS HOST PORT} sends its input, and prints what comes
 * until the other end closes.
 */
final class NetcatStandIn {

    private NetcatStandIn() {}

    public static void main(String[] args) throws InterruptedException {
        List<String> words = List.of(args);
        try {
            if (words.size() > 4
                    && words.getFirst().equals("-l")
                    && words.get(1).equals("-p")
                    && words.get(3).equals("-e")) {
                System.exit(serve(Integer.parseInt(words.get(2)), words.subList(4, words.size())));
            }
            if (words.size() == 4
                    && words.getFirst().equals("-w")
                    && !words.get(2).startsWith("-")) {
                talk(Integer.parseInt(words.get(1)), words.get(2), Integer.parseInt(words.get(3)));
                return;
            }
            System.err.println("usage: nc -l -p PORT -e PROGRAM… | nc -w SECONDS HOST PORT");
        } catch (IOException e) {
            System.err.println("nc: " + e.getMessage());
        }
        System.exit(1);
    }

    private static int serve(int port, List<String> command) throws IOException, InterruptedException {
        try (Socket peer = accepted(port)) {
            Process program = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            inBackground(() -> {
                try (OutputStream input = program.getOutputStream()) {
                    copy(peer.getInputStream(), input);
                }
            });
            copy(program.getInputStream(), peer.getOutputStream());
            return program.waitFor();
        }
    }

    private static Socket accepted(int port) throws IOException {
        try (var server = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return server.accept();
        }
    }

    private static void talk(int seconds, String host, int port) throws IOException {
        try (var peer = new Socket()) {
            peer.connect(new InetSocketAddress(host, port), (int)
                    Duration.ofSeconds(seconds).toMillis());
            inBackground(() -> {
                copy(System.in, peer.getOutputStream());
                peer.shutdownOutput();
            });
            copy(peer.getInputStream(), System.out);
        }
    }

    private interface Copying {
        void run() throws IOException;
    }

    private static void inBackground(Copying copying) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                copying.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
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
