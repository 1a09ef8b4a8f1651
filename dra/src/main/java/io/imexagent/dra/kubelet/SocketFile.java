package io.imexagent.dra.kubelet;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The file of a listening Unix socket. A server binds a {@link #hidden()} name; {@link #publish} narrows the mode to
 * 0600 and links the real name to it. So no process sees that name with a wider mode or without a listener, and of two
 * agents one gets it: a link takes no other file's place.
 */
public final class SocketFile {

    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET = 0140000;

    /** {@code sun_path} of unix(7) less the closing NUL. */
    private static final int LONGEST_PATH = 107;

    private final Path path;
    private final List<Path> hidden;
    private volatile Optional<Object> published = Optional.empty();

    /** One that is bound in the plugin's own directory. */
    SocketFile(Path path, Path plugin) {
        this.path = path;
        String name = path.getFileName().toString();
        String last = name.substring(name.lastIndexOf('-') + 1);
        this.hidden = List.of(plugin.resolve("." + last + ".new"), path.resolveSibling("." + name + ".new"));
    }

    Path path() {
        return path;
    }

    /**
     * The names to bind, by preference: in the plugin's directory, since the kubelet watches the directory of
     * registrations and logs an error for each file there that is gone when it looks; beside the socket where the two
     * directories are of two mounts, which no link crosses. {@code /proc/net/unix} shows a socket by this name.
     */
    List<Path> hidden() {
        return hidden;
    }

    /** Makes room for a new socket: what a crashed process left goes. A failure says why and what to do. */
    void clear() throws IOException {
        requireFit(path);
        removeStale(path);
        for (Path name : hidden) {
            removeStale(name);
        }
    }

    /** Refuses a path that is longer than the address of a socket, which would be cut. */
    static void requireFit(Path name) throws IOException {
        int length = name.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST_PATH) {
            throw new IOException("the path " + name + " has " + length + " bytes, a socket's may have " + LONGEST_PATH
                    + "; set kubelet.root to a shorter one");
        }
    }

    /**
     * Gives the bound socket its mode and its name; fails where another process took the name meanwhile, and with {@link
     * TwoMountsException} where no link leads to another directory.
     */
    void publish(Path bound) throws IOException {
        try {
            Files.setPosixFilePermissions(bound, PosixFilePermissions.fromString("rw-------"));
            link(bound);
            published = key();
        } finally {
            Files.deleteIfExists(bound);
        }
    }

    private void link(Path bound) throws IOException {
        try {
            Files.createLink(path, bound);
        } catch (FileAlreadyExistsException taken) {
            throw inUse(path);
        } catch (FileSystemException refused) {
            throw bound.resolveSibling("").equals(path.resolveSibling("")) ? refused : new TwoMountsException(refused);
        }
    }

    /** What tells the published socket from others; empty before it is published. Safe for any thread. */
    Optional<Object> identity() {
        return published;
    }

    boolean isOurs() throws IOException {
        return published.isPresent() && published.equals(key());
    }

    void remove() throws IOException {
        if (isOurs()) {
            Files.deleteIfExists(path);
        }
        published = Optional.empty();
    }

    /** Whether a process listens on the socket of this path; false where nothing is. */
    public static boolean listening(Path path) throws IOException {
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // A listener whose queue is full would block a blocking connect.
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException refused) {
            return false;
        } catch (IOException failure) {
            if (Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
            throw new IOException(
                    "cannot tell whether a process listens on " + path + ": " + failure.getMessage()
                            + "; see what 'ss -xlp' says of it",
                    failure);
        }
    }

    /** Whether a file is a socket; fails where there is none. */
    static boolean isSocket(Path path, LinkOption... options) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(path, "unix:mode", options);
        return attributes.get("mode") instanceof Integer mode && (mode & FILE_TYPE) == SOCKET;
    }

    private static void removeStale(Path path) throws IOException {
        try {
            if (!isSocket(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException(path + " is not a socket, so the agent does not remove it; move it away");
            }
        } catch (NoSuchFileException free) {
            return;
        }
        if (listening(path)) {
            throw inUse(path);
        }
        Files.deleteIfExists(path);
    }

    /** A link from one directory to another was refused, as it is between two mounts. */
    static final class TwoMountsException extends IOException {
        private static final long serialVersionUID = 1L;

        TwoMountsException(FileSystemException cause) {
            super(cause.getMessage(), cause);
        }
    }

    static IOException inUse(Path path) {
        return new IOException("another process listens on " + path
                + ": a second imex-agent or the plugin of the public DRA driver runs on this node; stop it, then start"
                + " this agent again");
    }

    /** Device and inode. The inode is not used again while its listener lives, so equal keys are the same socket. */
    private Optional<Object> key() throws IOException {
        try {
            return Optional.ofNullable(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey());
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        }
    }
}
