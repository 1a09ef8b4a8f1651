package io.imexagent.testing.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for one run, with a path short enough for sockets; it goes with everything in it when it is closed. */
public final class Scratch implements AutoCloseable {

    private static final String MEMORY = "tmpfs";

    private final Path directory;
    private boolean kept;

    private Scratch(Path directory) {
        this.directory = directory;
    }

    /** Makes a folder in the directory for temporary files. */
    public static Scratch create() throws IOException {
        return new Scratch(Files.createTempDirectory("imex-"));
    }

    /**
     * Makes a folder on a disk, where the machine has one in a usual place; in memory nothing costs what it costs in
     * earnest.
     */
    public static Scratch onDisk() throws IOException {
        for (Path parent : List.of(Path.of("/var/tmp"), Path.of("/tmp"))) {
            if (Files.isWritable(parent) && !fileSystem(parent).equals(MEMORY)) {
                return new Scratch(Files.createTempDirectory(parent, "imex-"));
            }
        }
        return create();
    }

    /** Makes a folder in memory, where the machine has some in the usual place. */
    public static Scratch inMemory() throws IOException {
        Path parent = Path.of("/dev/shm");
        return Files.isWritable(parent) && fileSystem(parent).equals(MEMORY)
                ? new Scratch(Files.createTempDirectory(parent, "imex-"))
                : create();
    }

    public Path directory() {
        return directory;
    }

    /** The type of the file system that the folder is on, such as {@code ext4}. */
    public String fileSystem() throws IOException {
        return fileSystem(directory);
    }

    /** Leaves the folder there for somebody to look at. */
    public void keep() {
        kept = true;
    }

    @Override
    public void close() throws IOException {
        if (!kept) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private static String fileSystem(Path path) throws IOException {
        return Files.getFileStore(path).type();
    }
}
