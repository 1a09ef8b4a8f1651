package io.imexagent.kubernetes.client;

import io.imexagent.core.retry.Backoff;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.Kind;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.control.WatchNews;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a collection at hand as the server has it: lists, then watches from the list's version on, for ever, on one
 * virtual thread.
 *
 * <p>A watch that ends or breaks goes on from the last version that it told; only where the server has forgotten that
 * version (410), or where a defect may have lost news, is the list read again. Failures are waited out with a back-off.
 *
 * @param <T> what is kept of an object
 */
final class Reflector<T> implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);

    /** How long the server keeps a watch; spread, so that nodes that started together do not come back together. */
    private static final Duration SHORTEST_WATCH = Duration.ofMinutes(3);

    private static final Duration SPREAD = Duration.ofMinutes(1);

    /** A connection that is silent for so long past the end of its watch is dead. */
    private static final Duration GRACE = Duration.ofSeconds(20);

    /** A watch that ended sooner did not stand. */
    private static final Duration STOOD = Duration.ofSeconds(1);

    /** While the server is away; short, because slices are to come back soon after it. */
    private static final Backoff AWAY =
            new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofMinutes(5));

    /** While a person has to mend something. */
    private static final Backoff REFUSED =
            new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30), Duration.ofMinutes(5));

    private final Transport transport;
    private final RateLimiter limiter;
    private final Collection<T> collection;
    private final DoubleSupplier random;
    private final ConcurrentHashMap<String, Collection.Kept<T>> objects = new ConcurrentHashMap<>();
    private final Thread thread;
    private Consumer<WatchNews<T>> listener = news -> {};
    private volatile Optional<ApiFailure> failure = Optional.empty();
    private volatile UnreadObjects unread = UnreadObjects.NONE;
    private volatile @Nullable WatchStream stream;
    private volatile boolean closed;
    private UnreadList unreadList = new UnreadList();
    private String version = "";
    private Room room = new Room();
    private int failures;

    Reflector(Transport transport, RateLimiter limiter, Collection<T> collection, DoubleSupplier random) {
        this.transport = transport;
        this.limiter = limiter;
        this.collection = collection;
        this.random = random;
        this.thread = Thread.ofVirtual()
                .name("imex-api-watch-" + collection.target().plural())
                .unstarted(this::run);
    }

    /** Begins to reflect; what each list and each change brought is told on this reflector's thread. */
    void start(Consumer<WatchNews<T>> listener) {
        this.listener = listener;
        thread.start();
    }

    /** What is kept of the object with this UID. */
    Optional<T> get(String uid) {
        return Optional.ofNullable(objects.get(uid)).map(Collection.Kept::object);
    }

    /** What is kept of all objects. */
    List<T> all() {
        return objects.values().stream().map(Collection.Kept::object).toList();
    }

    /** The objects that cannot be read. */
    UnreadObjects unread() {
        return unread;
    }

    /** What metrics call the objects. */
    String resource() {
        return collection.target().label();
    }

    /** Why the watch does not stand; empty while it stands or begins. */
    Optional<ApiFailure> failure() {
        return failure;
    }

    private void run() {
        while (!closed) {
            try {
                if (version.isEmpty()) {
                    list();
                }
                follow();
            } catch (ApiException e) {
                recover(e.failure());
            } catch (RuntimeException | Error defect) {
                recover(defect);
            }
        }
    }

    private void list() throws ApiException {
        var listed = collection.list(transport, limiter);
        // Of an object that cannot be read any more, what is known stays: to say that it is gone would be wrong.
        objects.keySet()
                .removeIf(uid ->
                        !listed.objects().containsKey(uid) && !listed.unread().mayHave(uid));
        objects.putAll(listed.objects());
        room = new Room();
        objects.values().forEach(kept -> room.put(kept.namespace(), kept.bytes()));
        unreadList = listed.unread();
        tellUnread();
        version = listed.version();
        tell(new WatchNews.All<>(all(), listed.version()));
    }

    /** Watches until the server ends the watch. */
    private void follow() throws ApiException {
        Duration length = SHORTEST_WATCH.plusMillis((long) (SPREAD.toMillis() * random.getAsDouble()));
        long begun = System.nanoTime();
        boolean told = false;
        boolean stood;
        Call call = collection.watch(version, length.toSeconds());
        WantedFields wanted = collection.wanted();
        try (WatchStream events = transport.watch(call, limiter, wanted)) {
            stream = events;
            stands();
            // Closing may have come between the connection and the field that lets it be closed.
            while (!closed) {
                Optional<WatchStream.Event> event = events.next(length.plus(GRACE));
                if (event.isEmpty()) {
                    break;
                }
                apply(event.get());
                told = true;
                failures = 0;
                if (unreadList.isCrowded() && room.isSpacious()) {
                    // There is room again for those that were left out.
                    version = "";
                    break;
                }
            }
        } finally {
            stream = null;
            stood = System.nanoTime() - begun > STOOD.toNanos();
            if (stood) {
                failures = 0;
            }
        }
        if (!stood && !told && !closed) {
            pause(AWAY.after(++failures, random));
        }
    }

    private void apply(WatchStream.Event event) {
        Fields object = event.object();
        String uid = object.text("metadata.uid");
        version = object.has("metadata.resourceVersion") ? object.text("metadata.resourceVersion") : version;
        switch (event.kind()) {
            case PRESENT -> {
                try {
                    Collection.Kept<T> kept = collection.keep(object);
                    put(uid, kept);
                    readable(uid);
                    tell(new WatchNews.Present<>(kept.object()));
                } catch (IOException e) {
                    // What is known of it stays.
                    if (unreadList.add(object, ApiFailures.reason(e))) {
                        tellUnread();
                    }
                }
            }
            case GONE -> {
                Collection.Kept<T> before = objects.remove(uid);
                if (before != null) {
                    room.put(before.namespace(), -before.bytes());
                }
                readable(uid);
                if (before != null || object.has("metadata.uid")) {
                    tell(new WatchNews.Gone<>(uid, object.text("metadata.resourceVersion")));
                }
            }
            case BOOKMARK -> {}
        }
    }

    private void put(String uid, Collection.Kept<T> kept) throws UnreadableException {
        Collection.Kept<T> before = objects.get(uid);
        Collection.take(room, before == null ? 0 : before.bytes(), kept, unreadList);
        objects.put(uid, kept);
    }

    private void readable(String uid) {
        if (unreadList.remove(uid)) {
            tellUnread();
        }
    }

    private void tellUnread() {
        UnreadObjects now = unreadList.objects();
        // Not each time that there is one more: others decide how often that is.
        boolean news = !now.first().equals(unread.first());
        unread = now;
        if (news && now.count() > 0) {
            LOG.warn(
                    "objects cannot be read and are left out resource={} count={} objects=\"{}\"",
                    resource(),
                    now.count(),
                    now);
        } else if (news) {
            LOG.info("all objects can be read again resource={}", resource());
        }
    }

    private synchronized void tell(WatchNews<T> news) {
        try {
            if (!closed) {
                listener.accept(news);
            }
        } catch (RuntimeException e) {
            // The watch outlives a listener's bug; the next change calls it again.
            LOG.error(
                    "listener of watch failed resource={}", collection.target().label(), e);
        }
    }

    private void stands() {
        failure.ifPresent(over -> LOG.info(
                "watch stands again resource={} after={}",
                collection.target().label(),
                over.kind().label()));
        failure = Optional.empty();
    }

    private void recover(ApiFailure cause) {
        if (closed) {
            return;
        }
        transport.failed(cause);
        if (cause.kind() == Kind.GONE || cause.kind() == Kind.UNREADABLE) {
            version = "";
        }
        boolean news =
                failure.map(ApiFailure::kind).filter(cause.kind()::equals).isEmpty();
        if (cause.kind() == Kind.GONE) {
            LOG.debug(
                    "watch begins anew from a list resource={}",
                    collection.target().label());
        } else {
            failure = Optional.of(cause);
            if (news) {
                LOG.warn(
                        "watch failed, it is tried again resource={} kind={} error=\"{}\"",
                        collection.target().label(),
                        cause.kind().label(),
                        cause.message());
            }
        }
        pause(backoff(cause.kind()).after(++failures, cause.retryAfter(), random));
    }

    /** This program is at fault: what was read last may be lost, and is told again from a list. */
    private void recover(Throwable defect) {
        if (closed) {
            return;
        }
        version = "";
        transport.broke(collection.target());
        var cause = Optional.of(new ApiFailure(
                Kind.UNREADABLE,
                "cannot watch " + collection.target().object() + ": a defect: " + defect,
                Optional.empty()));
        if (!failure.equals(cause)) {
            LOG.error(
                    "watch failed, a defect; it begins anew from a list resource={}",
                    collection.target().label(),
                    defect);
        }
        failure = cause;
        pause(AWAY.after(++failures, random));
    }

    private static Backoff backoff(Kind kind) {
        return switch (kind) {
            case FORBIDDEN, UNAUTHORIZED, UNSUPPORTED, NOT_FOUND, INVALID -> REFUSED;
            case UNREACHABLE, TIMEOUT, NO_RELATIONSHIP, CONFLICT, GONE, THROTTLED, SERVER_ERROR, UNREADABLE -> AWAY;
        };
    }

    private void pause(Duration wait) {
        try {
            Thread.sleep(wait);
        } catch (InterruptedException e) {
            // Only close interrupts, and it has set the flag that ends the loop.
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the watch, after a call of the listener that is under way. */
    @Override
    public synchronized void close() {
        closed = true;
        thread.interrupt();
        WatchStream events = stream;
        if (events != null) {
            events.close();
        }
        transport.forget(this);
    }
}
