package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.NodeRules;
import io.imexagent.testing.api.object.ObjectKey;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.Selector;
import io.imexagent.testing.api.object.StatusException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * All objects, one revision counter for all of them, and a window of history. Single objects are read without a lock;
 * writes, lists and the opening of watches hold one, so that each sees one revision.
 */
final class ObjectStore implements NodeRules.Objects {
    /** What etcd takes in one request. */
    private static final int LARGEST_OBJECT = 3 << 19;

    /** Which objects a list or a watch is about; an empty namespace stands for all. */
    record Filter(ResourceType type, String namespace, Selector labels, Selector fields) {
        boolean matches(StoredObject object) {
            return object.key().type() == type
                    && (namespace.isEmpty() || namespace.equals(object.key().namespace()))
                    && labels.matches(object.tree())
                    && fields.matches(object.tree());
        }
    }

    /** One step of the history, as {@link Watch#follow} takes it. */
    private record Change(Optional<StoredObject> before, StoredObject object, boolean removed) {}

    private final int window;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ObjectKey, StoredObject> objects = new ConcurrentSkipListMap<>();
    private final Deque<Change> history = new ArrayDeque<>();
    private final Set<Watch> watches = new HashSet<>();
    private long revision = 1;
    private long oldestAnswerable = 1;

    /** An empty store that keeps so many changes for watches that resume. */
    ObjectStore(int window) {
        this.window = window;
    }

    Optional<StoredObject> get(ObjectKey key) {
        return Optional.ofNullable(objects.get(key));
    }

    List<StoredObject> all(ResourceType type) {
        return objects.values().stream().filter(o -> o.key().type() == type).toList();
    }

    @Override
    public Optional<JsonNode> tree(ObjectKey key) {
        return get(key).map(StoredObject::tree);
    }

    @Override
    public Stream<JsonNode> pods() {
        return all(ResourceType.PODS).stream().map(StoredObject::tree);
    }

    List<StoredObject> list(Filter filter) {
        return atomically(
                () -> objects.values().stream().filter(filter::matches).toList());
    }

    /** Runs reads and writes that belong together. */
    <T> T atomically(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** Puts the tree there under the next revision, which is written into it. The tree belongs to the store then. */
    StoredObject put(ObjectKey key, ObjectNode tree) {
        return atomically(() -> {
            StoredObject object = StoredObject.of(key, revision + 1, tree);
            if (object.bytes().length() > LARGEST_OBJECT) {
                throw StatusException.of(500, "", "etcdserver: request is too large");
            }
            revision++;
            record(new Change(Optional.ofNullable(objects.put(key, object)), object, false));
            return object;
        });
    }

    /** Removes an object; the answer is its last state, under the revision of the removal. */
    StoredObject remove(ObjectKey key, ObjectNode lastState) {
        return atomically(() -> {
            StoredObject object = StoredObject.of(key, ++revision, lastState);
            record(new Change(Optional.ofNullable(objects.remove(key)), object, true));
            return object;
        });
    }

    /**
     * Opens a watch: with the changes after a revision, or where none is given with the objects of now as additions
     * first.
     */
    Watch watch(Filter filter, OptionalLong after) {
        return atomically(() -> {
            Watch watch = new Watch(filter);
            if (after.isEmpty()) {
                list(filter).forEach(watch::added);
            } else if (after.getAsLong() < oldestAnswerable) {
                watch.expired(after.getAsLong(), oldestAnswerable);
            } else {
                history.stream()
                        .filter(change -> change.object().revision() > after.getAsLong())
                        .forEach(change -> follow(watch, change));
            }
            watches.add(watch);
            return watch;
        });
    }

    void close(Watch watch) {
        atomically(() -> watches.remove(watch));
    }

    /** Queues a bookmark behind all changes so far. */
    void bookmark(Watch watch) {
        atomically(() -> {
            watch.bookmark(revision);
            return true;
        });
    }

    /** Tells every open watch the same, and how many there are. */
    int tellWatches(Watch.Message message) {
        return atomically(() -> {
            watches.forEach(watch -> watch.offer(message));
            return watches.size();
        });
    }

    int openWatches() {
        return atomically(watches::size);
    }

    /** Forgets the history: a watch can resume from the current revision, from no older one. */
    void compact() {
        atomically(() -> {
            history.clear();
            oldestAnswerable = revision;
            return true;
        });
    }

    long revision() {
        return atomically(() -> revision);
    }

    private void record(Change change) {
        history.addLast(change);
        while (history.size() > window) {
            oldestAnswerable = history.removeFirst().object().revision();
        }
        watches.forEach(watch -> follow(watch, change));
    }

    private static void follow(Watch watch, Change change) {
        watch.follow(change.before(), change.object(), change.removed());
    }
}
