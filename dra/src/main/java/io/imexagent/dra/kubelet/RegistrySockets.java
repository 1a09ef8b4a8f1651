package io.imexagent.dra.kubelet;

import io.imexagent.dra.proto.registration.PluginInfo;
import io.imexagent.worker.BoundedCall;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets by which plugins register with the kubelet, in its directory {@code plugins_registry} and those below. A
 * socket's file may have any name; which driver's it is its plugin says, queried as the kubelet queries it, once for all
 * drivers of this process. Methods block, for some seconds at most; safe for any thread.
 */
public final class RegistrySockets implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RegistrySockets.class);

    /** As long as the kubelet waits for an answer. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    /** For all sockets together, and for the list of them, which a mount that hangs would never end. */
    static final Duration PATIENCE_FOR_ALL = PATIENCE.multipliedBy(4);

    /** More than a node has plugins: what is beyond is neither listed nor queried. */
    static final int MOST = 256;

    /** The names of Kubernetes' objects have no more characters, and those of drivers have 63. */
    private static final int LONGEST_NAME = 253;

    /** How many are queried at one time, which bounds what their answers take of the heap. */
    private static final int AT_ONCE = 16;

    static final int MOST_FILES = 4096;

    /** Whose names alone are looked at. */
    private static final int MOST_NAMES = 1 << 16;

    private static final int DEPTH = 4;
    private static final int MOST_LINKS = 8;

    private final Path directory;
    private final Worker lister;
    private final BoundedCall<Listing> listings;

    /** What listens on each socket that was queried and is still there. Guarded by this. */
    private final Map<Socket, Answer> answers = new HashMap<>();

    /** The sockets below the kubelet's root directory. */
    public RegistrySockets(Path kubeletRoot) {
        this(
                kubeletRoot.toAbsolutePath().resolve("plugins_registry"),
                new Worker("plugins-registry", 1, WorkerObserver.NONE, System::nanoTime),
                PATIENCE_FOR_ALL);
    }

    /** The sockets of this directory, which the worker lists in this time. */
    RegistrySockets(Path directory, Worker lister, Duration patience) {
        this.directory = directory.normalize();
        this.lister = lister;
        this.listings = new BoundedCall<>(lister, patience);
    }

    /** A socket's file. Its identity is that of the socket behind a link; no other has it while this one listens. */
    record Socket(Path path, Object identity) {}

    /** The sockets that were found; {@code cutOff} where there are more than are looked at, so that a plugin may be missed. */
    record Listing(List<Socket> sockets, boolean cutOff) {

        /** A clause about that for messages; empty if all were listed. */
        String note() {
            return cutOff
                    ? "; there are more than " + MOST + " sockets or " + MOST_FILES
                            + " files in plugins_registry, and not all were looked at"
                    : "";
        }
    }

    /** What listens on a socket. */
    sealed interface Answer {

        /** A plugin of this DRA driver. */
        record OfDriver(String name) implements Answer {}

        /** A plugin of another kind, such as of a CSI driver. */
        record OfOtherKind() implements Answer {}

        /** Something that does not answer in time, or not as a plugin does. */
        record NoAnswer() implements Answer {}

        /** Nothing. */
        record ClosedSocket() implements Answer {}

        /** Whether the driver's plugin listens. Where nothing tells, the file's name does, as Kubernetes' own library has it. */
        default boolean isOf(String driver, Socket socket) {
            return switch (this) {
                case OfDriver(String name) -> name.equals(driver);
                case NoAnswer _ -> isNamedFor(driver, socket.path());
                case OfOtherKind _, ClosedSocket _ -> false;
            };
        }
    }

    /**
     * All sockets, and links to sockets of the directory; of several links to one socket the first. Those whose names fit the
     * driver come first, then the order is that of the paths: what is beyond the limits is another's the more likely. Fails
     * where the directory cannot be read, or not in time.
     */
    Listing list(String driver) throws IOException, InterruptedException {
        try {
            return listings.result(() -> walk(driver))
                    .orElseThrow(() -> new IOException(
                            "the files of " + directory + " are not listed within " + PATIENCE_FOR_ALL.toSeconds()
                                    + " s, as on a mount that hangs; see what is mounted there"));
        } catch (ExecutionException failure) {
            throw new IOException("cannot list the files of " + directory + ": " + Worker.reason(failure), failure);
        }
    }

    private Listing walk(String driver) throws IOException {
        var found = new Collecting(driver);
        if (Files.isDirectory(directory)) {
            Files.walkFileTree(directory, Set.of(), DEPTH, found);
        }
        var identities = new HashSet<Object>();
        List<Socket> sockets = found.files.stream()
                .sorted(Comparator.<Path, Boolean>comparing(file -> !fits(driver, file))
                        .thenComparing(Comparator.naturalOrder()))
                .flatMap(file -> socket(file).stream())
                .filter(socket -> identities.add(socket.identity()))
                .limit(MOST + 1L)
                .toList();
        return new Listing(sockets.subList(0, Math.min(MOST, sockets.size())), found.cutOff || sockets.size() > MOST);
    }

    /** Whether the file has a name that Kubernetes' own library gives the sockets of the driver. */
    static boolean isNamedFor(String driver, Path path) {
        String name = String.valueOf(path.getFileName());
        return name.startsWith(driver + "-") && name.endsWith("reg.sock");
    }

    /** Whether a plugin of the driver may be expected to call its socket so. */
    private static boolean fits(String driver, Path path) {
        return isNamedFor(driver, path) || String.valueOf(path.getFileName()).equals(driver + ".sock");
    }

    /** What listens on each of these sockets; {@code again} queries those once more of which no answer came. */
    synchronized Map<Socket, Answer> answers(List<Socket> sockets, boolean again) throws InterruptedException {
        answers.putAll(ask(sockets.stream()
                .filter(socket -> isUnknown(answers.get(socket), again))
                .toList()));
        var given = new LinkedHashMap<Socket, Answer>();
        sockets.forEach(socket -> given.put(socket, answers.getOrDefault(socket, new Answer.NoAnswer())));
        return given;
    }

    private static boolean isUnknown(@Nullable Answer answer, boolean again) {
        return switch (answer) {
            case null -> true;
            case Answer.OfDriver _, Answer.OfOtherKind _ -> false;
            case Answer.NoAnswer _, Answer.ClosedSocket _ -> again;
        };
    }

    /** The first of the listed sockets but {@code own} on which a plugin of the driver listens. */
    synchronized Optional<Socket> plugin(String driver, Listing listing, Optional<Object> own, boolean again)
            throws InterruptedException {
        answers.keySet().retainAll(Set.copyOf(listing.sockets()));
        Set<Socket> before = Set.copyOf(answers.keySet());
        List<Socket> others = listing.sockets().stream()
                .filter(socket -> !own.equals(Optional.of(socket.identity())))
                .toList();
        return answers(others, again).entrySet().stream()
                .filter(given -> given.getValue().isOf(driver, given.getKey()))
                // Who has just answered need not be connected to again.
                .filter(given -> (given.getValue() instanceof Answer.OfDriver && !before.contains(given.getKey()))
                        || mayListen(given.getKey().path()))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** A socket that cannot be examined, such as one whose queue is full, counts, and hides no other. */
    private static boolean mayListen(Path socket) {
        try {
            return SocketFile.listening(socket);
        } catch (IOException cannotTell) {
            LOG.debug("a socket counts as listening path={} reason=\"{}\"", socket, cannotTell.getMessage());
            return true;
        }
    }

    @Override
    public void close() {
        lister.close();
    }

    /**
     * What listens on each of these sockets, {@value #AT_ONCE} at a time; waits {@link #PATIENCE} for the answers of these, and
     * four times that for all: who was not queried by then has given none.
     */
    private static Map<Socket, Answer> ask(List<Socket> sockets) throws InterruptedException {
        var answers = new LinkedHashMap<Socket, Answer>();
        long end = System.nanoTime() + PATIENCE_FOR_ALL.toNanos();
        for (int from = 0; from < sockets.size(); from += AT_ONCE) {
            Duration left = Duration.ofNanos(end - System.nanoTime());
            List<Socket> next = sockets.subList(from, Math.min(sockets.size(), from + AT_ONCE));
            if (left.isPositive()) {
                askAtOnce(next, left.compareTo(PATIENCE) < 0 ? left : PATIENCE, answers);
            } else {
                next.forEach(socket -> answers.put(socket, new Answer.NoAnswer()));
            }
        }
        return answers;
    }

    private static void askAtOnce(List<Socket> sockets, Duration patience, Map<Socket, Answer> answers)
            throws InterruptedException {
        try (var threads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("registry-sockets").factory())) {
            List<Callable<Answer>> questions = sockets.stream()
                    .<Callable<Answer>>map(socket -> () -> ask(socket.path()))
                    .toList();
            // What is late is interrupted, which closes its connection.
            List<Future<Answer>> given = threads.invokeAll(questions, patience.toMillis(), TimeUnit.MILLISECONDS);
            for (int at = 0; at < sockets.size(); at++) {
                answers.put(sockets.get(at), answer(given.get(at)));
            }
        }
    }

    private static Answer answer(Future<Answer> given) throws InterruptedException {
        try {
            return given.get();
        } catch (CancellationException late) {
            return new Answer.NoAnswer();
        } catch (ExecutionException defect) {
            throw new IllegalStateException("a socket was not asked", defect.getCause());
        }
    }

    private static Answer ask(Path socket) {
        try {
            if (!SocketFile.listening(socket)) {
                return new Answer.ClosedSocket();
            }
            PluginInfo info = InfoCall.of(socket);
            return switch (info.getType()) {
                case RegistrationService.TYPE ->
                    info.getName().length() <= LONGEST_NAME
                            ? new Answer.OfDriver(info.getName())
                            : new Answer.NoAnswer();
                case "" -> new Answer.NoAnswer();
                default -> new Answer.OfOtherKind();
            };
        } catch (IOException noAnswer) {
            return new Answer.NoAnswer();
        }
    }

    private Optional<Socket> socket(Path file) {
        try {
            Optional<Path> real = inside(file);
            return real.isPresent() && SocketFile.isSocket(real.get(), LinkOption.NOFOLLOW_LINKS)
                    ? Optional.ofNullable(Files.readAttributes(
                                            real.get(), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                                    .fileKey())
                            .map(key -> new Socket(file, key))
                    : Optional.empty();
        } catch (IOException goneOrLeadsNowhere) {
            return Optional.empty();
        }
    }

    /**
     * What a file leads to, found without a look at anything outside of the directory, which may be a mount that answers never;
     * empty where a link leaves it. A plugin makes its socket here, so that nothing is missed.
     */
    private Optional<Path> inside(Path file) throws IOException {
        Path at = file;
        for (int link = 0; link < MOST_LINKS; link++) {
            if (!Files.isSymbolicLink(at)) {
                return Optional.of(at);
            }
            at = at.resolveSibling(Files.readSymbolicLink(at)).normalize();
            if (!at.startsWith(directory)) {
                return Optional.empty();
            }
            for (Path way = at.getParent();
                    way != null && way.startsWith(directory) && !way.equals(directory);
                    way = way.getParent()) {
                if (Files.isSymbolicLink(way)) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Collects files; the kubelet passes over those with a dot in front. Beyond {@link #MOST_FILES} only those whose names fit
     * the driver.
     */
    private static final class Collecting extends SimpleFileVisitor<Path> {

        private final List<Path> files = new ArrayList<>();
        private final String driver;
        private int seen;
        private boolean cutOff;

        Collecting(String driver) {
            this.driver = driver;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (String.valueOf(file.getFileName()).startsWith(".")) {
                return FileVisitResult.CONTINUE;
            }
            seen++;
            if (seen <= MOST_FILES || fits(driver, file)) {
                files.add(file);
            } else {
                cutOff = true;
            }
            return seen < MOST_NAMES ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }
    }
}
