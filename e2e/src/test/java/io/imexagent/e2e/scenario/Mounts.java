package io.imexagent.e2e.scenario;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/** Mounts that end with it, in the mount namespace of the end-to-end tests. */
final class Mounts implements AutoCloseable {
    private static final String FILLER = "filler";

    private final Deque<Path> mounted = new ArrayDeque<>();

    /** Mounts a small file system of its own over a folder, which is made where it is missing. */
    void small(Path folder) throws IOException {
        Files.createDirectories(folder);
        run("mount", "-t", "tmpfs", "-o", "size=512k", "none", folder.toString());
        mounted.push(folder);
    }

    /** Shows a folder at another place too. */
    void bind(Path folder, Path place) throws IOException {
        run("mount", "--bind", folder.toString(), place.toString());
        mounted.push(place);
    }

    /**
     * Lets nobody write to a folder from now on: a read-only mount of the folder over itself. A file that is open for
     * writing does not stand in its way, as it would in that of a remount.
     */
    void readOnly(Path folder) throws IOException {
        Files.createDirectories(folder);
        bind(folder, folder);
        run("mount", "-o", "remount,bind,ro", folder.toString());
    }

    /** Takes the latest mount off. */
    void undo() throws IOException {
        run("umount", "--lazy", mounted.pop().toString());
    }

    /** Takes all space of a file system. */
    static void fill(Path folder) throws IOException {
        byte[] page = new byte[4096];
        try (OutputStream filler = Files.newOutputStream(folder.resolve(FILLER))) {
            while (Files.getFileStore(folder).getUsableSpace() > 0) {
                filler.write(page);
            }
        }
    }

    /** Gives the space back. */
    static void free(Path folder) throws IOException {
        Files.delete(folder.resolve(FILLER));
    }

    /** Ends the mounts, the latest first. What is still open in them lives until it is closed. */
    @Override
    public void close() throws IOException {
        while (!mounted.isEmpty()) {
            undo();
        }
    }

    private static void run(String... line) throws IOException {
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", line) + " failed: " + words.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted in " + String.join(" ", line));
        }
    }
}
