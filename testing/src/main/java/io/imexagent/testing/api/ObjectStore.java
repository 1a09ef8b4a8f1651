package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.ObjectKey;
import io.imexagent.testing.api.object.ResourceType;
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

/**
 * All objects, one revision counter for all of them, and a window of history. Single objects are read without a lock;
 * writes, lists and the opening of watches hold one, so that each sees one revision.
 */
final class ObjectStore {
    /** Objects of one revision. */
    record Listing(long revision, List<StoredObject> objects) {}

    /** What etcd takes in one request. */
    private static final int LARGEST_OBJECT = 3 << 19;

    private final int window;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ObjectKey, StoredObject> objects = new ConcurrentSkipListMap<>();
    private final Deque<Change> history = new ArrayDeque<>();
    private final Set<Watch> watches = new HashSet<>();
    private long revision = 1;
    private long oldestAnswerable = 1;

    /**
     * An empty store.
     *
     * @param window how many changes are kept for watches that resume
     */
    ObjectStore(int window) {
        this.window = window;
    }

    Optional<StoredObject> get(ObjectKey key) {
        return Optional.ofNullable(objects.get(key));
    }

    List<StoredObject> all(ResourceType type) {
        return objects.values().stream().filter(o -> o.key().type() == type).toList();
    }

    Listing list(Filter filter) {
        return atomically(() -> new Listing(
                revision, objects.values().stream().filter(filter::matches).toList()));
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
            StoredObject object = new StoredObject(key, revision + 1, tree);
            if (object.bytes().length > LARGEST_OBJECT) {
                throw StatusException.objectTooLarge();
            }
            revision++;
            Optional<StoredObject> before = Optional.ofNullable(objects.put(key, object));
            record(new Change.Put(object, before));
            return object;
        });
    }

    /** Removes an object; the answer is its last state, under the revision of the removal. */
    StoredObject remove(ObjectKey key, ObjectNode lastState) {
        return atomically(() -> {
            objects.remove(key);
            StoredObject object = new StoredObject(key, ++revision, lastState);
            record(new Change.Removed(object));
            return object;
        });
    }

    /**
     * Opens a watch: with the changes after a revision, or with the objects of now as additions first.
     *
     * @param after empty for the objects of now
     * @param markEnd whether a bookmark ends the objects of now
     */
    Watch watch(Filter filter, OptionalLong after, boolean markEnd) {
        return atomically(() -> {
            Watch watch = new Watch(filter);
            if (after.isEmpty()) {
                list(filter).objects().forEach(object -> watch.offer(WatchMessage.event("ADDED", object)));
            } else if (after.getAsLong() < oldestAnswerable) {
                watch.offer(WatchMessage.error(StatusException.expired(after.getAsLong(), oldestAnswerable)));
                watch.offer(new WatchMessage.End());
            } else {
                history.stream()
                        .filter(change -> change.object().revision() > after.getAsLong())
                        .forEach(watch::follow);
            }
            if (markEnd) {
                watch.offer(WatchMessage.bookmark(filter.type(), revision, true));
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
            watch.offer(WatchMessage.bookmark(watch.filter().type(), revision, false));
            return true;
        });
    }

    /** Tells every open watch the same, and how many there are. */
    int tellWatches(WatchMessage message) {
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
        watches.forEach(watch -> watch.follow(change));
    }
}
