package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.function.Supplier;

/**
 * All objects, one revision counter for all of them, and a window of history. Single objects are read without a lock;
 * writes, lists and the opening of watches hold one, so that each sees one revision.
 */
final class ObjectStore {
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

    /** One step of the history: an object before it, where it was there, and after it; of a removal its last state. */
    record StoreChange(Optional<StoredObject> before, StoredObject object, boolean removed) {}

    private final int window;
    private final Map<ObjectKey, StoredObject> objects = new ConcurrentSkipListMap<>();
    private final Deque<StoreChange> history = new ArrayDeque<>();
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

    synchronized List<StoredObject> list(Filter filter) {
        return objects.values().stream().filter(filter::matches).toList();
    }

    /** Runs reads and writes that belong together. */
    synchronized <T> T atomically(Supplier<T> work) {
        return work.get();
    }

    /** Puts the tree there under the next revision, which is written into it. The tree belongs to the store then. */
    synchronized StoredObject put(ObjectKey key, ObjectNode tree) {
        StoredObject object = StoredObject.of(key, revision + 1, tree);
        if (object.bytes().length() > LARGEST_OBJECT) {
            throw StatusException.of(500, "", "etcdserver: request is too large");
        }
        revision++;
        record(new StoreChange(Optional.ofNullable(objects.put(key, object)), object, false));
        return object;
    }

    /** Removes an object; the answer is its last state, under the revision of the removal. */
    synchronized StoredObject remove(ObjectKey key, ObjectNode lastState) {
        StoredObject object = StoredObject.of(key, ++revision, lastState);
        record(new StoreChange(Optional.ofNullable(objects.remove(key)), object, true));
        return object;
    }

    /**
     * Opens a watch: with the changes after a revision, or where none is given with the objects of now as additions
     * first.
     */
    synchronized Watch watch(Filter filter, OptionalLong after) {
        Watch watch = new Watch(filter);
        if (after.isEmpty()) {
            list(filter).forEach(watch::added);
        } else if (after.getAsLong() < oldestAnswerable) {
            watch.expired(after.getAsLong(), oldestAnswerable);
        } else {
            history.stream()
                    .filter(change -> change.object().revision() > after.getAsLong())
                    .forEach(watch::follow);
        }
        watches.add(watch);
        return watch;
    }

    synchronized void close(Watch watch) {
        watches.remove(watch);
    }

    /** Queues a bookmark behind all changes so far. */
    synchronized void bookmark(Watch watch) {
        watch.bookmark(revision);
    }

    /** Tells every open watch the same, and how many there are. */
    synchronized int tellWatches(Watch.Message message) {
        watches.forEach(watch -> watch.offer(message));
        return watches.size();
    }

    synchronized int openWatches() {
        return watches.size();
    }

    /** Forgets the history: a watch can resume from the current revision, from no older one. */
    synchronized void compact() {
        history.clear();
        oldestAnswerable = revision;
    }

    synchronized long revision() {
        return revision;
    }

    private void record(StoreChange change) {
        history.addLast(change);
        while (history.size() > window) {
            oldestAnswerable = history.removeFirst().object().revision();
        }
        watches.forEach(watch -> watch.follow(change));
    }
}
