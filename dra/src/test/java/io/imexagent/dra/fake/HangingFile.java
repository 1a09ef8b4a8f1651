package io.imexagent.dra.fake;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file whose reader waits, as for a driver that is stuck: a pipe in its place. Closed, it is the file again. */
public final class HangingFile implements AutoCloseable {

    private final Path path;
    private final byte[] content;

    private HangingFile(Path path, byte[] content) {
        this.path = path;
        this.content = content;
    }

    /** Lets this file hang. */
    public static HangingFile at(Path path) throws IOException, InterruptedException {
        var file = new HangingFile(path, Files.readAllBytes(path));
        Files.delete(path);
        Process mkfifo =
                new ProcessBuilder("mkfifo", path.toString()).inheritIO().start();
        if (mkfifo.waitFor() != 0) {
            throw new IOException("mkfifo ended with " + mkfifo.exitValue());
        }
        return file;
    }

    /** Puts the file back, and gives who waits at the pipe an empty line. */
    @Override
    public void close() throws IOException {
        Path aside = Files.move(path, path.resolveSibling(path.getFileName() + ".pipe"));
        Files.write(path, content);
        // Opened for both, it waits for no reader.
        try (var both = new RandomAccessFile(aside.toFile(), "rw")) {
            both.write('\n');
        }
        Files.delete(aside);
    }
}
