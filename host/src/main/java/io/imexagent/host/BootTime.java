package io.imexagent.host;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The time at which the host booted, for comparison with file times: {@code btime} of {@code /proc/stat}, in whole
 * seconds. The kernel derives it from the current clock, so setting the clock forward makes it later than files of this
 * boot. If {@code /run} is a tmpfs, the time of its creation is read as well, and the earlier of both is used.
 */
public final class BootTime {

    /** The line stands after one line for each processor. */
    private static final int LARGEST = 4 << 20;

    private BootTime() {}

    /** The boot time; empty if the host does not report it. */
    public static Optional<Instant> read(Path root) {
        return btime(root.resolve("proc/stat"))
                .map(computed -> made(root.resolve("run"))
                        .filter(made -> made.isBefore(computed))
                        .orElse(computed));
    }

    private static Optional<Instant> btime(Path stat) {
        try (InputStream in = Files.newInputStream(stat)) {
            return new String(in.readNBytes(LARGEST), US_ASCII)
                    .lines()
                    .filter(line -> line.matches("btime [1-9]\\d{0,10}"))
                    .map(line -> Instant.ofEpochSecond(Long.parseLong(line.substring("btime ".length()))))
                    .findFirst();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    private static Optional<Instant> made(Path run) {
        try {
            return endsWithTheBoot(run)
                    ? Stream.of(Files.readAttributes(run, BasicFileAttributes.class)
                                    .creationTime())
                            .map(FileTime::toInstant)
                            .findFirst()
                    : Optional.empty();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /** Whether the path is in a file system in memory, whose files are never older than the boot. */
    public static boolean endsWithTheBoot(Path file) throws IOException {
        String type = Files.getFileStore(file).type();
        return type.equals("tmpfs") || type.equals("ramfs");
    }
}
