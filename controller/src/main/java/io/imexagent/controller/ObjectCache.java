package io.imexagent.controller;

import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import io.imexagent.kubernetes.ObjectRef;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Objects by UID in their newest known state, from the watch or from the response to a call of this controller, which
 * is often ahead of the watch. Thread-safe: all caches of a {@link ClusterState} use its lock.
 */
final class ObjectCache<T> {

    private static final int REMEMBERED = 4096;

    private final Object lock;
    private final Function<T, ObjectRef> ref;
    private final BiConsumer<Optional<T>, Optional<T>> changed;
    private final Map<String, T> objects = new LinkedHashMap<>();
    /**
     * The last removed objects, with the version at removal. An object whose label was restored has a newer version.
     */
    private final SequencedMap<String, String> past = new LinkedHashMap<>();

    private final List<Index<T>> indexes = new ArrayList<>();
    private boolean listed;

    /** {@code changed} receives the states of an object before and after each change. */
    ObjectCache(Object lock, Function<T, ObjectRef> ref, BiConsumer<Optional<T>, Optional<T>> changed) {
        this.lock = lock;
        this.ref = ref;
        this.changed = changed;
    }

    Index<T> by(Function<T, Collection<String>> keys) {
        var index = new Index<>(keys);
        indexes.add(index);
        return index;
    }

    boolean listed() {
        synchronized (lock) {
            return listed;
        }
    }

    Optional<T> get(String uid) {
        synchronized (lock) {
            return Optional.ofNullable(objects.get(uid));
        }
    }

    List<T> all() {
        synchronized (lock) {
            return List.copyOf(objects.values());
        }
    }

    void apply(WatchUpdate<T> news) {
        synchronized (lock) {
            switch (news) {
                case WatchUpdate.ObjectsListed<T>(List<T> present, String version) -> all(present, version);
                case WatchUpdate.ObjectChanged<T>(T object) -> put(object);
                case WatchUpdate.ObjectDeleted<T>(String uid, String version) -> gone(uid, version);
            }
        }
    }

    /** Applies a list: objects that it lacks are gone, unless they are newer than the list. */
    void all(Collection<T> present, String version) {
        listed = true;
        Set<String> uids = new HashSet<>();
        present.forEach(object -> uids.add(ref.apply(object).uid()));
        List<T> missing = new ArrayList<>();
        for (T object : objects.values()) {
            ObjectRef known = ref.apply(object);
            if (!uids.contains(known.uid()) && ObjectRef.compare(known.version(), version) <= 0) {
                missing.add(object);
            }
        }
        missing.forEach(object -> gone(ref.apply(object), version));
        present.forEach(this::put);
    }

    /**
     * Removes an object that a list lacks. If the versions can be compared, the removal is remembered, since a late
     * response may still contain the object.
     */
    private void gone(ObjectRef missed, String version) {
        if (missed.olderThan(version)) {
            gone(missed.uid(), version);
        } else {
            drop(missed.uid());
        }
    }

    /** Stores an object from the watch or from a response; ignores a state that is older than the known one. */
    void put(T object) {
        synchronized (lock) {
            ObjectRef now = ref.apply(object);
            Optional<T> before = get(now.uid());
            boolean news = before.map(ref)
                    .map(known -> known.overtakenBy(now) && !known.version().equals(now.version()))
                    .orElse(true);
            String went = past.get(now.uid());
            if (!news || (went != null && ObjectRef.compare(went, now.version()) >= 0)) {
                return;
            }
            past.remove(now.uid());
            objects.put(now.uid(), object);
            publish(now.uid(), before, Optional.of(object));
        }
    }

    /** Removes an object that was deleted, as the response to a call showed. */
    void gone(String uid) {
        synchronized (lock) {
            gone(uid, "");
        }
    }

    /**
     * Removes an object that was deleted, or has lost the label that the watch selects; a newer state with the label is
     * kept.
     */
    private void gone(String uid, String version) {
        boolean back = get(uid).map(ref)
                .filter(known -> ObjectRef.compare(known.version(), version) > 0)
                .isPresent();
        if (back) {
            return;
        }
        past.put(uid, version);
        if (past.size() > REMEMBERED) {
            past.pollFirstEntry();
        }
        drop(uid);
    }

    private void drop(String uid) {
        T before = objects.remove(uid);
        if (before != null) {
            publish(uid, Optional.of(before), Optional.empty());
        }
    }

    private void publish(String uid, Optional<T> before, Optional<T> now) {
        indexes.forEach(index -> index.change(uid, before, now));
        changed.accept(before, now);
    }

    static final class Index<T> {

        private final Function<T, Collection<String>> keys;
        private final Map<String, Map<String, T>> objects = new HashMap<>();

        private Index(Function<T, Collection<String>> keys) {
            this.keys = keys;
        }

        private void change(String uid, Optional<T> before, Optional<T> now) {
            for (String key : before.map(keys).orElse(List.of())) {
                Map<String, T> of = objects.getOrDefault(key, new HashMap<>());
                of.remove(uid);
                if (of.isEmpty()) {
                    objects.remove(key);
                }
            }
            now.ifPresent(object -> keys.apply(object)
                    .forEach(key -> objects.computeIfAbsent(key, none -> new LinkedHashMap<>(2))
                            .put(uid, object)));
        }

        List<T> get(String key) {
            return List.copyOf(objects.getOrDefault(key, Map.of()).values());
        }

        int count(String key) {
            return objects.getOrDefault(key, Map.of()).size();
        }

        Set<String> keys() {
            return objects.keySet();
        }
    }
}
