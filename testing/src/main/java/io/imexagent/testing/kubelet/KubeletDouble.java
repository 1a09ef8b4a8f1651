package io.imexagent.testing.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
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

    /** The directory is looked through this often even without a change, for retries. */
    private static final Duration RESCAN = Duration.ofMillis(50);

    private final KubeletOptions options;
    private final Sockets sockets = new Sockets();
    private final EventLog journal = new EventLog();
    private final SocketWatch watch;
    private final Registrar registrar;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("kubelet-double").unstarted(this::run);
    private final ReentrantLock lock = new ReentrantLock();

    /** In order of registration; changed under the lock, read without it. */
    private final AtomicReference<List<Plugin>> plugins = new AtomicReference<>(List.of());

    /** Guarded by the lock: the identity of each socket that was tried, and when it may be tried again. */
    private final Map<Path, Attempt> attempts = new HashMap<>();

    /** Guarded by the lock: since when a socket that was tried has been missing. */
    private final Map<Path, Long> lost = new HashMap<>();

    private volatile Optional<String> refusal = Optional.empty();
    private volatile Optional<IOException> failure = Optional.empty();

    private KubeletDouble(KubeletOptions options) throws IOException {
        this.options = options;
        this.watch = new SocketWatch(options.registryDirectory());
        this.registrar = new Registrar(options, sockets, journal, () -> refusal);
    }

    /** Starts a kubelet of 1.36 with this root directory. */
    public static KubeletDouble start(Path root) throws IOException {
        return start(KubeletOptions.in(root));
    }

    /**
     * Starts a kubelet.
     *
     * @throws IOException if the directory of plugins cannot be made or watched
     */
    public static KubeletDouble start(KubeletOptions options) throws IOException {
        var kubelet = new KubeletDouble(options);
        Files.createDirectories(options.registryDirectory());
        kubelet.thread.start();
        return kubelet;
    }

    /** Prepares claims with the plugin of this project's driver; see {@link Plugin#prepare}. */
    public Map<String, ClaimResult> prepare(List<Claim> claims) {
        return plugin().prepare(claims);
    }

    /** Prepares one claim. */
    public ClaimResult prepare(Claim claim) {
        return Objects.requireNonNull(prepare(List.of(claim)).get(claim.uid()), "answered, or the call had failed");
    }

    /** Unprepares claims with the plugin of this project's driver; see {@link Plugin#unprepare}. */
    public Map<String, ClaimResult> unprepare(List<Claim> claims) {
        return plugin().unprepare(claims);
    }

    /** Unprepares one claim. */
    public ClaimResult unprepare(Claim claim) {
        return Objects.requireNonNull(unprepare(List.of(claim)).get(claim.uid()), "answered, or the call had failed");
    }

    /** The plugins that are registered, the most recent last. */
    public List<Plugin> plugins() {
        return plugins.get();
    }

    /**
     * The most recent plugin of this project's driver.
     *
     * @throws IllegalStateException if there is none
     */
    public Plugin plugin() {
        return registered()
                .orElseThrow(() -> new IllegalStateException(
                        "no plugin of " + DRIVER + " is registered; the kubelet double saw " + events()));
    }

    /** Waits for a plugin of this project's driver; {@link IllegalStateException} where none registers in time. */
    public Plugin awaitPlugin(Duration limit) throws InterruptedException {
        return journal.await("a plugin of " + DRIVER, limit, this::registered);
    }

    /** Waits until no plugin of this project's driver is registered; {@link IllegalStateException} where one stays. */
    public void awaitNoPlugin(Duration limit) throws InterruptedException {
        awaitUntil("no plugin of " + DRIVER, () -> registered().isEmpty(), limit);
    }

    /** Waits until something holds, looking after each event; {@link IllegalStateException} where it does not in time. */
    public void awaitUntil(String what, BooleanSupplier holds, Duration limit) throws InterruptedException {
        journal.await(what, limit, () -> holds.getAsBoolean() ? Optional.of(true) : Optional.empty());
    }

    /** Waits for an event, which may have happened already; {@link IllegalStateException} where none comes in time. */
    public <E extends KubeletEvent> E awaitEvent(Class<E> type, Predicate<E> which, Duration limit)
            throws InterruptedException {
        return journal.await(
                "an event of the kind " + type.getSimpleName(),
                limit,
                () -> events(type).stream().filter(which).findFirst());
    }

    /** Everything that the double saw and did, in order. */
    public List<KubeletEvent> events() {
        failure.ifPresent(cause -> {
            throw new IllegalStateException("the kubelet double cannot watch " + options.registryDirectory(), cause);
        });
        return journal.events();
    }

    /** The events of one kind. */
    public <E extends KubeletEvent> List<E> events(Class<E> type) {
        return events().stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** The last report of health of this project's driver; empty where there is none. */
    public Optional<KubeletEvent.Health> health() {
        return events(KubeletEvent.Health.class).reversed().stream()
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
    public void restart() {
        lock.lock();
        try {
            plugins().forEach(plugin -> deregister(plugin.socket()));
            attempts.clear();
            lost.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Restarts the kubelet on a directory from which every socket was removed, as after a reset of the node. */
    public void restartOnCleanDirectory() throws IOException {
        lock.lock();
        try {
            for (Path socket : watch.sockets().keySet()) {
                Files.deleteIfExists(socket);
            }
            restart();
        } finally {
            lock.unlock();
        }
    }

    /** Stops the kubelet. The plugins' sockets stay. */
    @Override
    public void close() throws IOException {
        thread.interrupt();
        watch.close();
        lock.lock();
        try {
            plugins.getAndSet(List.of()).forEach(Plugin::close);
        } finally {
            lock.unlock();
        }
        sockets.close();
    }

    private void run() {
        try {
            while (true) {
                lock.lockInterruptibly();
                try {
                    scan(watch.sockets());
                } finally {
                    lock.unlock();
                }
                watch.await(RESCAN);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } catch (IOException broken) {
            failure = Optional.of(broken);
        }
    }

    private void scan(Map<Path, Object> present) {
        for (Path known : List.copyOf(attempts.keySet())) {
            Attempt attempt = attempts.get(known);
            if (attempt == null || attempt.identity().equals(present.get(known))) {
                lost.remove(known);
            } else if (System.nanoTime() - lost.computeIfAbsent(known, path -> System.nanoTime())
                    >= options.deregistration().toNanos()) {
                lost.remove(known);
                attempts.remove(known);
                deregister(known);
            }
        }
        present.forEach((socket, identity) -> {
            Attempt before = attempts.get(socket);
            if (!isRegistered(socket) && (before == null || before.again() - System.nanoTime() <= 0)) {
                attempts.put(
                        socket,
                        new Attempt(
                                identity,
                                System.nanoTime() + options.registrationRetry().toNanos()));
                registrar.register(socket, plugins()).ifPresent(this::registered);
            }
        });
    }

    private boolean isRegistered(Path socket) {
        return plugins().stream().anyMatch(plugin -> plugin.socket().equals(socket));
    }

    private void registered(Plugin plugin) {
        plugins.updateAndGet(
                before -> Stream.concat(before.stream(), Stream.of(plugin)).toList());
        journal.add(plugin.registration());
        plugin.watchHealth();
    }

    private void deregister(Path socket) {
        List<Plugin> before = plugins.getAndUpdate(all ->
                all.stream().filter(plugin -> !plugin.socket().equals(socket)).toList());
        before.stream().filter(plugin -> plugin.socket().equals(socket)).forEach(plugin -> {
            plugin.close();
            journal.add(new KubeletEvent.Deregistered(plugin.registration().driver(), socket));
        });
    }

    private Optional<Plugin> registered() {
        return plugins().reversed().stream()
                .filter(plugin -> plugin.registration().driver().equals(DRIVER))
                .findFirst();
    }

    /**
     * A registration that was tried.
     *
     * @param identity which socket it was
     * @param again when to try again, if it failed
     */
    private record Attempt(Object identity, long again) {}
}
