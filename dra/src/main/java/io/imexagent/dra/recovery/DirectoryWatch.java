package io.imexagent.dra.recovery;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;

import io.imexagent.files.FileFault;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells when files of a directory change, by inotify. The directory may be missing, be removed and made again, be a link
 * that is turned elsewhere, or be mounted over: {@link #follow} finds the one that is there now. Where the kernel gives no
 * watch, nothing is told.
 */
final class DirectoryWatch extends Loop {

    /** Changes within this time are reported together, so a burst costs one check. */
    private static final Duration TOGETHER = Duration.ofMillis(50);

    /** Between two calls of the listener. */
    private static final Duration APART = Duration.ofMillis(500);

    private static final Logger LOG = LoggerFactory.getLogger(DirectoryWatch.class);

    private final Path directory;
    private final Predicate<Path> counted;
    private final Runnable changed;

    /** Guarded by this, as all that follows. */
    private Optional<WatchService> service = Optional.empty();

    private Optional<Watched> files = Optional.empty();
    private Optional<Watched> above = Optional.empty();
    private boolean complained;

    /** A directory as it was registered, by device and inode. */
    private record Watched(WatchKey key, Object identity) {}

    /** A watch that has not begun, of the files for which {@code counted} holds; the listener must not block. */
    DirectoryWatch(Path directory, Predicate<Path> counted, Runnable changed) {
        super("specs-watch", new Signal());
        this.directory = directory;
        this.counted = counted;
        this.changed = changed;
    }

    /** Watches the directory that is there now, and the one above, in which it is removed and made. Never waits. */
    synchronized void follow() {
        if (service.isEmpty() || closed()) {
            return;
        }
        files = followed(files, directory, ENTRY_CREATE, ENTRY_DELETE, ENTRY_MODIFY);
        Path parent = directory.toAbsolutePath().getParent();
        above = parent == null ? Optional.empty() : followed(above, parent, ENTRY_CREATE, ENTRY_DELETE);
    }

    private Optional<Watched> followed(Optional<Watched> before, Path target, WatchEvent.Kind<?>... kinds) {
        try {
            Object identity =
                    Files.readAttributes(target, BasicFileAttributes.class).fileKey();
            if (before.filter(now -> now.key().isValid() && now.identity().equals(identity))
                    .isPresent()) {
                return before;
            }
            before.ifPresent(old -> old.key().cancel());
            return Optional.of(new Watched(target.register(service.orElseThrow(), kinds), identity));
        } catch (IOException failure) {
            before.ifPresent(old -> old.key().cancel());
            if (Files.isDirectory(target) && !(failure instanceof NoSuchFileException)) {
                complain(failure);
                // Each try may cost a line in the audit log.
                close();
            }
            return Optional.empty();
        }
    }

    private void complain(IOException failure) {
        if (!complained) {
            LOG.info(
                    "no watch on the directory of CDI specs, it is looked at every {} s directory={} reason=\"{}\"",
                    SpecReconciler.INTERVAL.toSeconds(),
                    directory,
                    FileFault.reason(failure));
        }
        complained = true;
    }

    /** Listens until it is closed, or the kernel gives no watch. */
    @Override
    protected Duration turn() throws InterruptedException {
        try (WatchService made = FileSystems.getDefault().newWatchService()) {
            synchronized (this) {
                service = Optional.of(made);
            }
            follow();
            // What changed before the watch began.
            changed.run();
            while (!closed()) {
                if (hasChanged(made.take())) {
                    Thread.sleep(TOGETHER);
                    for (WatchKey more = made.poll(); more != null; more = made.poll()) {
                        var _ = hasChanged(more);
                    }
                    changed.run();
                    Thread.sleep(APART);
                }
            }
        } catch (IOException failure) {
            complain(failure);
        } finally {
            synchronized (this) {
                service = Optional.empty();
            }
        }
        return Signal.UNTIL_RAISED;
    }

    /** Whether what a key tells may concern the files. */
    private boolean hasChanged(WatchKey key) {
        boolean ofFiles;
        synchronized (this) {
            ofFiles = files.filter(watched -> watched.key().equals(key)).isPresent();
        }
        boolean changed = key.pollEvents().stream().anyMatch(event -> concerns(event, ofFiles));
        return !key.reset() || changed;
    }

    private boolean concerns(WatchEvent<?> event, boolean ofFiles) {
        return OVERFLOW.equals(event.kind())
                || !(event.context() instanceof Path name)
                || (ofFiles ? counted.test(name) : name.equals(directory.getFileName()));
    }
}
