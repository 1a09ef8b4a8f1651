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
 * When the host booted, to be compared with the times of files: {@code btime} of {@code /proc/stat}, in whole seconds.
 * The kernel computes that from the clock as it is now, so a clock that is put forward moves it past files of this boot.
 * Where {@code /run} is a tmpfs, the time at which that was made, by the clock of then, counts too: the earlier of both.
 */
public final class BootTime {

    /** A line for each processor comes first. */
    private static final int LARGEST = 4 << 20;

    private BootTime() {}

    /** The time, or empty where the host does not tell. */
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

    /** Whether what is there is in memory alone, so that no file in it is older than the boot. */
    public static boolean endsWithTheBoot(Path file) throws IOException {
        String type = Files.getFileStore(file).type();
        return type.equals("tmpfs") || type.equals("ramfs");
    }
}
