package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.UnreadObjects.UnreadObject;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.UnreadableException;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The objects of a collection by UID, within {@link MemoryBudget}, and those that cannot be read. For one thread at a
 * time.
 */
final class CachedObjects<T> {

    private static final int MOST_UNREAD = 1_000;
    private static final int LONGEST_NAME = 320;

    private final Decoder<T> decoder;
    private final Map<String, CachedObject<T>> objects = new LinkedHashMap<>();
    private final Map<String, UnreadObject> unread = new LinkedHashMap<>();
    private final MemoryBudget room = new MemoryBudget();
    private int othersUnread;

    private record CachedObject<T>(T object, String namespace, int bytes) {}

    CachedObjects(Decoder<T> decoder) {
        this.decoder = decoder;
    }

    /**
     * Stores the current state of an object; empty if it cannot be read, in which case its last known state is kept.
     */
    Optional<T> put(FieldValues fields) {
        String uid = fields.text("metadata.uid");
        try {
            T object = decoder.make(fields);
            int bytes = Math.min(fields.spent(), decoder.cost().applyAsInt(object));
            var kept = new CachedObject<>(object, fields.text("metadata.namespace"), bytes);
            fields.required("metadata.uid");
            Optional<CachedObject<T>> before = Optional.ofNullable(objects.get(uid));
            room.take(kept.namespace(), before.map(CachedObject::bytes).orElse(0), kept.bytes());
            objects.put(uid, kept);
            unread.remove(uid);
            return Optional.of(kept.object());
        } catch (IOException e) {
            String name = fields.path().isEmpty() ? "one without a name" : fields.path();
            if (unread.containsKey(uid) || unread.size() < MOST_UNREAD) {
                unread.put(
                        uid,
                        new UnreadObject(
                                name.substring(0, Math.min(name.length(), LONGEST_NAME)), ApiFailures.reason(e)));
            } else {
                othersUnread++;
            }
            return Optional.empty();
        }
    }

    boolean remove(String uid) {
        unread.remove(uid);
        Optional<CachedObject<T>> before = Optional.ofNullable(objects.remove(uid));
        before.ifPresent(kept -> room.put(kept.namespace(), -kept.bytes()));
        return before.isPresent();
    }

    /** Keeps the last known state of objects that cannot be read any more: they must not appear as deleted. */
    void keepFrom(CachedObjects<T> earlier) {
        earlier.objects.forEach((uid, kept) -> {
            if (!objects.containsKey(uid) && mayBeUnread(uid)) {
                objects.put(uid, kept);
                room.put(kept.namespace(), kept.bytes());
            }
        });
    }

    Optional<T> get(String uid) {
        return Optional.ofNullable(objects.get(uid)).map(CachedObject::object);
    }

    List<T> all() {
        return objects.values().stream().map(CachedObject::object).toList();
    }

    UnreadObjects unread() {
        return new UnreadObjects(unread.size() + othersUnread, List.copyOf(unread.values()));
    }

    /** Whether the object of this UID may be unreadable. An unreadable object without a UID may be any object. */
    boolean mayBeUnread(String uid) {
        return unread.containsKey(uid) || unread.containsKey("") || othersUnread > 0;
    }

    /** Whether objects were left out for lack of room and most of the room is free now. */
    boolean hasRoomAgain() {
        return room.crowded && room.isSpacious();
    }

    /**
     * The memory that the objects of a collection may take, in bytes: a quarter of the heap for objects in namespaces,
     * which tenants create; half of the heap for cluster-scoped objects. The objects of one namespace may take no more
     * than they leave free: at most a half, those of a second namespace then a quarter, and so on, so that a tenant who
     * fills the budget leaves room for the others.
     */
    static final class MemoryBudget {

        private static final long HEAP = Runtime.getRuntime().maxMemory();

        static final long OF_CLUSTER = HEAP / 2;

        static final long OF_NAMESPACES = HEAP / 4;

        private final Map<String, Long> ofNamespaces = new HashMap<>();
        private long taken;
        private boolean crowded;

        /**
         * Accounts for an object that takes {@code now} bytes after {@code before}. An empty namespace means a
         * cluster-scoped object.
         */
        void take(String namespace, long before, long now) throws UnreadableException {
            long more = now - before;
            boolean own = !namespace.isEmpty();
            long all = own ? OF_NAMESPACES : OF_CLUSTER;
            if (more > 0 && all - taken - more < (own ? ofNamespaces.getOrDefault(namespace, 0L) + more : 0)) {
                crowded = true;
                throw new UnreadableException(
                        "no room: those before it take " + (taken >> 10) + " KiB of " + (all >> 10)
                                + (own ? ", and no namespace may take more than it leaves free" : "")
                                + "; give the process a larger heap");
            }
            put(namespace, more);
        }

        void put(String namespace, long more) {
            taken += more;
            if (ofNamespaces.merge(namespace, more, Long::sum) == 0) {
                ofNamespaces.remove(namespace);
            }
        }

        boolean isSpacious() {
            return taken < OF_NAMESPACES / 4;
        }
    }
}
