package io.imexagent.controller.state;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Objects by texts that several may share. {@link Known} keeps it up to date. */
final class Index<T> {

    private final Function<T, Collection<String>> keys;
    private final Map<String, Map<String, T>> objects = new HashMap<>();

    Index(Function<T, Collection<String>> keys) {
        this.keys = keys;
    }

    /** The object with this UID is this now, and was that before. */
    void change(String uid, Optional<T> before, Optional<T> now) {
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

    Set<String> keys() {
        return objects.keySet();
    }
}
