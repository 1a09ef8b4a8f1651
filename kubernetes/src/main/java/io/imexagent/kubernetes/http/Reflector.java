package io.imexagent.kubernetes.http;

import io.imexagent.core.retry.Backoff;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a copy of a collection up to date: it lists, then watches from the last version that it received, for ever, on
 * one virtual thread. It lists again only if the server has dropped that version (410), if a defect may have lost an
 * update, or if there is room again for objects that were left out. After a failure it retries with a back-off.
 */
final class Reflector<T> extends Loop {

    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);

    /**
     * The shortest time that the server keeps a watch; up to {@code SPREAD} is added, so that nodes that started
     * together do not reconnect together.
     */
    private static final Duration SHORTEST_WATCH = Duration.ofMinutes(3);

    private static final Duration SPREAD = Duration.ofMinutes(1);

    /** How long a connection may be silent after the end of its watch before it counts as dead. */
    private static final Duration GRACE = Duration.ofSeconds(20);

    /** A watch that ended sooner, and without an event, counts as failed. */
    private static final Duration STOOD = Duration.ofSeconds(1);

    /**
     * The back-off while the server is unavailable; short, because slices must be published again soon after it
     * returns.
     */
    private static final Backoff AWAY =
            new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofMinutes(5));

    private static final Backoff REFUSED =
            new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30), Duration.ofMinutes(5));

    private final Transport transport;
    private final Collection<T> collection;
    private final DoubleSupplier random;
    private final Consumer<Reflector<?>> closing;
    private Consumer<WatchUpdate<T>> listener = news -> {};
    private volatile Optional<ApiFailure> failure = Optional.empty();
    private volatile UnreadObjects unread = UnreadObjects.NONE;
    private volatile @Nullable WatchStream stream;
    private CachedObjects<T> objects;
    private String version = "";
    private int failures;

    /** Creates a reflector; {@code closing} is called when it is closed. */
    Reflector(Transport transport, Collection<T> collection, DoubleSupplier random, Consumer<Reflector<?>> closing) {
        super("imex-api-watch-" + collection.target().plural(), new Signal());
        this.transport = transport;
        this.collection = collection;
        this.random = random;
        this.closing = closing;
        this.objects = new CachedObjects<>(collection.resource().decoder());
    }

    /** Starts the reflector. Its thread passes each list and each change to the listener. */
    void start(Consumer<WatchUpdate<T>> listener) {
        this.listener = listener;
        start();
    }

    /** All objects that are kept; only for the listener, during its call. */
    List<T> all() {
        return objects.all();
    }

    UnreadObjects unread() {
        return unread;
    }

    String resource() {
        return collection.target().label();
    }

    /** Why the watch is down; empty while it is up or starting. */
    Optional<ApiFailure> failure() {
        return failure;
    }

    @Override
    protected Duration turn() {
        try {
            if (version.isEmpty()) {
                list();
            }
            return follow();
        } catch (ApiException e) {
            return recover(e.failure(), Optional.empty());
        }
    }

    @Override
    protected Duration afterDefect(Throwable defect, int inARow) {
        var failure = new ApiFailure(
                FailureKind.UNREADABLE,
                "cannot watch " + collection.what() + ": a defect: " + defect,
                Optional.empty());
        return recover(failure, Optional.of(defect));
    }

    private void list() throws ApiException {
        Collection.ListResult<T> listed = collection.list();
        listed.objects().keepFrom(objects);
        objects = listed.objects();
        publishUnread();
        version = listed.version();
        publish(new WatchUpdate.ObjectsListed<>(all(), version));
    }

    private Duration follow() throws ApiException {
        Duration length = SHORTEST_WATCH.plusMillis((long) (SPREAD.toMillis() * random.getAsDouble()));
        long startNanos = System.nanoTime();
        boolean reported = false;
        boolean stood;
        Call call = collection.watch(version, length.toSeconds());
        try (WatchStream events = transport.watch(call, collection.resource().limiter(), collection.wanted())) {
            stream = events;
            stands();
            // close() may have run before the field was set, and then did not close this stream.
            while (!closed()) {
                Optional<WatchStream.StreamEvent> event = events.next(length.plus(GRACE));
                if (event.isEmpty()) {
                    break;
                }
                apply(event.get());
                reported = true;
                failures = 0;
                if (objects.hasRoomAgain()) {
                    version = "";
                    break;
                }
            }
        } finally {
            stream = null;
            stood = System.nanoTime() - startNanos > STOOD.toNanos();
            if (stood) {
                failures = 0;
            }
        }
        return stood || reported ? Duration.ZERO : AWAY.after(++failures, random);
    }

    private void apply(WatchStream.StreamEvent event) {
        FieldValues object = event.object();
        String at = object.text("metadata.resourceVersion");
        version = object.has("metadata.resourceVersion") ? at : version;
        switch (event.kind()) {
            case PRESENT -> {
                Optional<T> now = objects.put(object);
                publishUnread();
                now.ifPresent(present -> publish(new WatchUpdate.ObjectChanged<>(present)));
            }
            case GONE -> {
                String uid = object.text("metadata.uid");
                boolean known = objects.remove(uid);
                publishUnread();
                if (known || object.has("metadata.uid")) {
                    publish(new WatchUpdate.ObjectDeleted<>(uid, at));
                }
            }
            case BOOKMARK -> {}
        }
    }

    private void publishUnread() {
        UnreadObjects now = objects.unread();
        // Not logged at each additional object, because tenants decide how many there are.
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

    private synchronized void publish(WatchUpdate<T> news) {
        try {
            if (!closed()) {
                listener.accept(news);
            }
        } catch (RuntimeException e) {
            // A listener's bug does not end the watch; the next change calls the listener again.
            LOG.error("watch listener failed resource={}", resource(), e);
        }
    }

    private void stands() {
        failure.ifPresent(over -> LOG.info(
                "watch restored resource={} after={}", resource(), over.kind().label()));
        failure = Optional.empty();
    }

    /**
     * Handles a failure. After a defect of this program the last update may be lost, so the collection is listed again.
     */
    private Duration recover(ApiFailure cause, Optional<Throwable> defect) {
        if (closed()) {
            return Duration.ZERO;
        }
        defect.ifPresentOrElse(any -> transport.broke(collection.target()), () -> transport.failed(cause));
        if (cause.kind() == FailureKind.GONE || cause.kind() == FailureKind.UNREADABLE) {
            version = "";
        }
        Optional<ApiFailure> before = failure;
        if (cause.kind() == FailureKind.GONE) {
            LOG.debug("watch begins again from a list resource={}", resource());
        } else {
            failure = Optional.of(cause);
        }
        if (defect.isPresent() && !failure.equals(before)) {
            LOG.error("watch failed, a defect; it begins again from a list resource={}", resource(), defect.get());
        } else if (defect.isEmpty() && !failure.map(ApiFailure::kind).equals(before.map(ApiFailure::kind))) {
            LOG.warn(
                    "watch failed, trying again resource={} kind={} error=\"{}\"",
                    resource(),
                    cause.kind().label(),
                    cause.message());
        }
        return backoff(cause.kind()).after(++failures, cause.retryAfter(), random);
    }

    private static Backoff backoff(FailureKind kind) {
        // A pod that refers to the object may appear at any moment.
        return kind.isRefusal() && kind != FailureKind.NO_RELATIONSHIP ? REFUSED : AWAY;
    }

    /** Ends the watch, after the listener's current call has returned. */
    @Override
    public synchronized void close() {
        super.close();
        WatchStream events = stream;
        if (events != null) {
            events.close();
        }
        closing.accept(this);
    }
}
