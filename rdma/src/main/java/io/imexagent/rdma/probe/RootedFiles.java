package io.imexagent.rdma.probe;

import io.imexagent.host.HostPrograms;
import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The files below a folder. {@code FileInputStream} opens a file at half the cost of a channel. */
public final class RootedFiles implements HostFiles {

    /** The largest file that is read, in bytes; a routing table can be long. */
    private static final int LARGEST = 8 << 20;

    private static final Duration DEADLINE = Duration.ofSeconds(2);

    private final Path root;
    private final Programs programs;

    /** Files below the folder under which {@code proc} and {@code sys} of the host stand. */
    public RootedFiles(Path root) {
        this(root, new HostPrograms());
    }

    RootedFiles(Path root, Programs programs) {
        this.root = root.toAbsolutePath().normalize();
        this.programs = programs;
    }

    /** Runs the program in a process of its own, since the kernel answers under a lock that a hanging NIC may hold. */
    @Override
    public Optional<String> printed(List<String> question) {
        if (root.getNameCount() > 0) {
            return Optional.empty();
        }
        try {
            return programs.run(Program.asking(question, DEADLINE))
                                    instanceof ProgramOutcome.Ended(int code, String out, String _)
                            && code == 0
                    ? Optional.of(out)
                    : Optional.empty();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    @Override
    public String read(String path) throws IOException {
        try (var in = new FileInputStream(root + "/" + path)) {
            byte[] bytes = in.readNBytes(LARGEST + 1);
            if (bytes.length > LARGEST) {
                throw new IOException("it is larger than " + (LARGEST >> 20) + " MiB");
            }
            return new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (FileNotFoundException refused) {
            // Only the message distinguishes a missing file from an unreadable one.
            if (!Files.exists(root.resolve(path), LinkOption.NOFOLLOW_LINKS)) {
                NoSuchFileException missing = new NoSuchFileException("/" + path);
                missing.initCause(refused);
                throw missing;
            }
            throw new IOException("cannot read " + refused.getMessage(), refused);
        } catch (IOException failure) {
            throw new IOException("cannot read /" + path + ": " + failure.getMessage(), failure);
        }
    }

    @Override
    public List<String> list(String path) throws IOException {
        try (Stream<Path> entries = Files.list(root.resolve(path))) {
            return entries.map(entry -> String.valueOf(entry.getFileName())).toList();
        } catch (UncheckedIOException failure) {
            throw failure.getCause();
        }
    }

    @Override
    public String target(String path) throws IOException {
        return Files.readSymbolicLink(root.resolve(path)).toString();
    }

    @Override
    public String resolve(String path) throws IOException {
        Path real = root.resolve(path).toRealPath();
        Path realRoot = root.toRealPath();
        if (!real.startsWith(realRoot)) {
            throw new IOException("/" + path + " leads out of the host's root");
        }
        return realRoot.relativize(real).toString();
    }
}
