package io.imexagent.imex.watch;

import io.imexagent.core.slice.Device.Taint;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.health.ImexHealth;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The taint of the node's devices over the lives of the agent: one that starts while nvidia-imex is down begins with the
 * taint that stood, and not with none until it has looked and waited. Every change is recorded before it is published.
 * A record that cannot be kept costs no more than that memory; it is logged.
 *
 * <p>The record is the file {@code imex-taint} in the agent's state directory, one line with the taint's value. There is
 * no file while nothing is tainted. The slices would tell the same, but the kubelet takes them away 30 s after the agent
 * has gone.
 */
public final class KeptTaint {

    private static final int LONGEST = 256;
    /** A code of a verdict; a label's value (at most 63 characters) in any case. */
    private static final Pattern VALUE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwxr-x---");
    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-r--r--");
    private static final Logger LOG = LoggerFactory.getLogger(KeptTaint.class);

    private final Path directory;
    private final Path file;
    private final DurableFiles files = new DurableFiles(FileSteps.ALL_PASS, "a restart may drop the taint for a while");
    private @Nullable ImexTaint taint;
    private Optional<Kept> kept = Optional.empty();

    /** A taint whose record stands in this directory, which the first record makes; nothing is read yet. */
    public KeptTaint(Path stateDirectory) {
        this.directory = stateDirectory;
        this.file = stateDirectory.resolve("imex-taint");
    }

    /** The taints at this moment, as {@link ImexTaint#taints} has them. A change of them takes one write of a file. */
    public synchronized List<Taint> taints(Optional<ImexHealth> health, Duration after, Instant now) {
        ImexTaint present = taint == null ? new ImexTaint(before()) : taint;
        taint = present;
        List<Taint> taints = present.taints(health, after, now);
        keep(taints.stream().map(Taint::value).findFirst());
        return taints;
    }

    /** Nobody wants a taint: what is known of one is forgotten. */
    public synchronized void forget() {
        taint = null;
        keep(Optional.empty());
    }

    private Optional<String> before() {
        try {
            Optional<String> before = recorded();
            kept = Optional.of(new Kept(before));
            before.ifPresent(value -> LOG.info("a taint stood when the agent ended, it stays value={}", value));
            return before;
        } catch (IOException failure) {
            LOG.warn("the taint that stood is not known reason=\"{}\"", failure.getMessage());
            return Optional.empty();
        }
    }

    /** The value of the taint that stood last; empty where none did. */
    private Optional<String> recorded() throws IOException {
        try (var bytes = Files.newInputStream(file)) {
            String text = new String(bytes.readNBytes(LONGEST), StandardCharsets.US_ASCII).strip();
            if (!VALUE.matcher(text).matches()) {
                throw new IOException(file + " is not understood: it holds no taint's value; it is written anew");
            }
            return Optional.of(text);
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    private void keep(Optional<String> value) {
        var change = new Kept(value);
        if (kept.filter(change::equals).isPresent()) {
            return;
        }
        // Tried once for each change: a disk that is full is not asked at each plan.
        kept = Optional.of(change);
        try {
            if (value.isPresent()) {
                files.createDirectory(directory, DIRECTORY_MODE);
                files.replace(file, (value.get() + "\n").getBytes(StandardCharsets.US_ASCII), FILE_MODE);
            } else {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            LOG.warn("the taint is not recorded reason=\"{}\"", failure.getMessage());
        }
    }

    /**
     * What the record says.
     *
     * @param value the taint's value; empty where there is none
     */
    private record Kept(Optional<String> value) {}
}
