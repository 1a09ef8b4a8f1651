package io.imexagent.testing.kubelet;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A running double of the kubelet's side towards DRA plugins.
 *
 * <p>It watches {@code <root>/plugins_registry}, registers every plugin whose socket appears, deregisters those whose
 * socket disappears, and follows their health. Tests, demo and benchmark call plugins through it, and read in
 * {@link #events()} what it saw. All methods may be called from any thread; those that call a plugin or await something
 * block.
 */
public final class KubeletDouble implements AutoCloseable {

    /** The driver that calls without a plugin mean. */
    private static final String DRIVER = "compute-domain.nvidia.com";

    private static final Duration PAUSE_BETWEEN_SCANS = Duration.ofMillis(10);
    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET = 0140000;

    private final KubeletOptions options;
    private final List<KubeletEvent> seen = new ArrayList<>();
    private final Registrar registrar;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("kubelet-double").unstarted(this::run);

    /** In order of registration; changed under the lock of this object, read without it. */
    private final AtomicReference<List<Plugin>> plugins = new AtomicReference<>(List.of());

    /** The identity of each socket that was tried, and when it may be tried again. */
    private final Map<Path, Attempt> attempts = new HashMap<>();

    /** Since when a socket that was tried has been missing. */
    private final Map<Path, Long> lost = new HashMap<>();

    private boolean closed;
    private volatile Optional<String> refusal = Optional.empty();
    private volatile Optional<IOException> failure = Optional.empty();

    private KubeletDouble(KubeletOptions options) {
        this.options = options;
        this.registrar = new Registrar(options, this::add, () -> refusal);
    }

    /** Starts a kubelet of 1.36 with this root directory. */
    public static KubeletDouble start(Path root) throws IOException {
        return start(KubeletOptions.in(root));
    }

    public static KubeletDouble start(KubeletOptions options) throws IOException {
        var kubelet = new KubeletDouble(options);
        Files.createDirectories(options.registryDirectory());
        kubelet.thread.start();
        return kubelet;
    }

    /** Prepares claims with the plugin of this project's driver; see {@link Plugin#prepare}. */
    public Map<String, ClaimResult> prepare(List<KubeletClaimRequest> claims) {
        return plugin().prepare(claims);
    }

    public ClaimResult prepare(KubeletClaimRequest claim) {
        return Objects.requireNonNull(prepare(List.of(claim)).get(claim.uid()), "answered, or the call had failed");
    }

    /** Unprepares claims with the plugin of this project's driver; see {@link Plugin#unprepare}. */
    public Map<String, ClaimResult> unprepare(List<KubeletClaimRequest> claims) {
        return plugin().unprepare(claims);
    }

    public ClaimResult unprepare(KubeletClaimRequest claim) {
        return Objects.requireNonNull(unprepare(List.of(claim)).get(claim.uid()), "answered, or the call had failed");
    }

    /** The plugins that are registered, the most recent last. */
    public List<Plugin> plugins() {
        return plugins.get();
    }

    /** The most recent plugin of this project's driver; {@link IllegalStateException} where there is none. */
    public Plugin plugin() {
        return registered()
                .orElseThrow(() -> new IllegalStateException(
                        "no plugin of " + DRIVER + " is registered; the kubelet double saw " + events()));
    }

    /** Waits for a plugin of this project's driver; {@link IllegalStateException} where none registers in time. */
    public Plugin awaitPlugin(Duration limit) throws InterruptedException {
        return await("a plugin of " + DRIVER, limit, this::registered);
    }

    /** Waits until no plugin of this project's driver is registered; {@link IllegalStateException} where one stays. */
    public void awaitNoPlugin(Duration limit) throws InterruptedException {
        awaitUntil("no plugin of " + DRIVER, () -> registered().isEmpty(), limit);
    }

    /** Waits until something holds, looking after each event; {@link IllegalStateException} where it does not in time. */
    public void awaitUntil(String what, BooleanSupplier holds, Duration limit) throws InterruptedException {
        await(what, limit, () -> holds.getAsBoolean() ? Optional.of(true) : Optional.empty());
    }

    /** Waits for an event, which may have happened already; {@link IllegalStateException} where none comes in time. */
    public <E extends KubeletEvent> E awaitEvent(Class<E> type, Predicate<E> which, Duration limit)
            throws InterruptedException {
        return await(
                "an event of the kind " + type.getSimpleName(),
                limit,
                () -> events(type).stream().filter(which).findFirst());
    }

    /** Everything that the double saw and did, in order. */
    public List<KubeletEvent> events() {
        failure.ifPresent(cause -> {
            throw new IllegalStateException("the kubelet double cannot watch " + options.registryDirectory(), cause);
        });
        synchronized (seen) {
            return List.copyOf(seen);
        }
    }

    public <E extends KubeletEvent> List<E> events(Class<E> type) {
        return events().stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** The last report of health of this project's driver; empty where there is none. */
    public Optional<KubeletEvent.HealthReported> health() {
        return events(KubeletEvent.HealthReported.class).reversed().stream()
                .filter(report -> report.driver().equals(DRIVER))
                .findFirst();
    }

    /** From now on tells every plugin that registers that it is not registered, for this reason. */
    public void rejectRegistrations(String error) {
        refusal = Optional.of(error);
    }

    /** Registers plugins again; those that were rejected are tried again. */
    public void acceptRegistrations() {
        refusal = Optional.empty();
    }

    /** Restarts the kubelet: it forgets every plugin and registers those whose sockets it finds. */
    public synchronized void restart() {
        plugins().forEach(plugin -> deregister(plugin.socket()));
        attempts.clear();
        lost.clear();
    }

    /** Restarts the kubelet on a directory from which every socket was removed, as after a reset of the node. */
    public synchronized void restartOnCleanDirectory() throws IOException {
        for (Path socket : sockets().keySet()) {
            Files.deleteIfExists(socket);
        }
        restart();
    }

    /** Stops the kubelet. The plugins' sockets stay. */
    @Override
    public void close() {
        thread.interrupt();
        synchronized (this) {
            closed = true;
            plugins.getAndSet(List.of()).forEach(Plugin::close);
        }
        registrar.close();
    }

    private void add(KubeletEvent event) {
        synchronized (seen) {
            seen.add(event);
            seen.notifyAll();
        }
    }

    /** Waits until there is a value; it is asked for after each event. */
    private <T> T await(String what, Duration limit, Supplier<Optional<T>> value) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        synchronized (seen) {
            Optional<T> now = value.get();
            while (now.isEmpty()) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new IllegalStateException(
                            "gave up waiting for " + what + " after " + limit + "; the kubelet double saw " + seen);
                }
                // A wait of no whole millisecond would be one without end.
                TimeUnit.NANOSECONDS.timedWait(seen, Math.max(left, 1_000_000));
                now = value.get();
            }
            return now.get();
        }
    }

    private void run() {
        try {
            while (scan()) {
                Thread.sleep(PAUSE_BETWEEN_SCANS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException broken) {
            failure = Optional.of(broken);
        }
    }

    /**
     * The sockets in the directory, each with what tells it from another one of the same name. Names with a leading dot
     * are passed over, as by the kubelet.
     */
    private Map<Path, Object> sockets() throws IOException {
        var sockets = new HashMap<Path, Object>();
        Path directory = Files.createDirectories(options.registryDirectory());
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "[!.]*")) {
            for (Path entry : entries) {
                try {
                    Map<String, Object> attributes =
                            Files.readAttributes(entry, "unix:mode,ino,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
                    if (attributes.get("mode") instanceof Integer mode && (mode & FILE_TYPE) == SOCKET) {
                        // Inodes are used again; with the time of the bind they tell two sockets of one name apart.
                        sockets.put(entry, List.of(attributes.get("ino"), attributes.get("lastModifiedTime")));
                    }
                } catch (NoSuchFileException gone) {
                    // It was there a moment ago; the next scan knows.
                }
            }
        }
        return sockets;
    }

    /** Registers and deregisters plugins; false once this is closed. */
    private synchronized boolean scan() throws IOException {
        if (closed) {
            return false;
        }
        Map<Path, Object> present = sockets();
        for (Path known : List.copyOf(attempts.keySet())) {
            Attempt attempt = attempts.get(known);
            if (attempt == null || attempt.identity().equals(present.get(known))) {
                lost.remove(known);
            } else if (System.nanoTime() - lost.computeIfAbsent(known, path -> System.nanoTime())
                    >= options.deregistration.toNanos()) {
                lost.remove(known);
                attempts.remove(known);
                deregister(known);
            }
        }
        present.forEach((socket, identity) -> {
            Attempt before = attempts.get(socket);
            if (!isRegistered(socket) && (before == null || before.again() - System.nanoTime() <= 0)) {
                attempts.put(socket, new Attempt(identity, System.nanoTime() + options.registrationRetry.toNanos()));
                registrar.register(socket, plugins()).ifPresent(this::registered);
            }
        });
        return true;
    }

    private boolean isRegistered(Path socket) {
        return plugins().stream().anyMatch(plugin -> plugin.socket().equals(socket));
    }

    private void registered(Plugin plugin) {
        plugins.updateAndGet(
                before -> Stream.concat(before.stream(), Stream.of(plugin)).toList());
        add(plugin.registration());
        plugin.watchHealth();
    }

    private void deregister(Path socket) {
        List<Plugin> before = plugins.getAndUpdate(all ->
                all.stream().filter(plugin -> !plugin.socket().equals(socket)).toList());
        before.stream().filter(plugin -> plugin.socket().equals(socket)).forEach(plugin -> {
            plugin.close();
            add(new KubeletEvent.PluginDeregistered(plugin.registration().driver(), socket));
        });
    }

    private Optional<Plugin> registered() {
        return plugins().reversed().stream()
                .filter(plugin -> plugin.registration().driver().equals(DRIVER))
                .findFirst();
    }

    /** Which socket was tried, and when to try again if that failed. */
    private record Attempt(Object identity, long again) {}
}
