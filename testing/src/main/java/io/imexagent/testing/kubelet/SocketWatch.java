package io.imexagent.testing.kubelet;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Watches a directory for sockets with inotify, and makes it where it is missing. For one thread at a time. */
final class SocketWatch implements AutoCloseable {

    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET = 0140000;

    private final Path directory;
    private final WatchService changes;
    private @Nullable WatchKey key;

    SocketWatch(Path directory) throws IOException {
        this.directory = directory;
        this.changes = directory.getFileSystem().newWatchService();
    }

    /**
     * The sockets in the directory, each with what tells it from another one of the same name. Names with a leading dot
     * are passed over, as by the kubelet.
     */
    Map<Path, Object> sockets() throws IOException {
        Files.createDirectories(directory);
        if (key == null || !key.isValid()) {
            key = directory.register(
                    changes, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
        }
        var sockets = new HashMap<Path, Object>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (!entry.getFileName().toString().startsWith(".")) {
                    look(entry, sockets);
                }
            }
        }
        return sockets;
    }

    /** Waits for a change, or for the limit. */
    void await(Duration limit) throws InterruptedException {
        try {
            WatchKey changed = changes.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
            if (changed != null) {
                changed.pollEvents();
                changed.reset();
            }
        } catch (ClosedWatchServiceException closed) {
            throw new InterruptedException("the watch is closed");
        }
    }

    @Override
    public void close() throws IOException {
        changes.close();
    }

    private static void look(Path entry, Map<Path, Object> sockets) throws IOException {
        try {
            Map<String, Object> attributes =
                    Files.readAttributes(entry, "unix:mode,ino,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
            if (attributes.get("mode") instanceof Integer mode && (mode & FILE_TYPE) == SOCKET) {
                // Inodes are used again; with the time of the bind they tell two sockets of one name apart.
                sockets.put(entry, List.of(attributes.get("ino"), attributes.get("lastModifiedTime")));
            }
        } catch (NoSuchFileException gone) {
            return;
        }
    }
}
