package io.imexagent.controller.state;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** UIDs of objects by a text that several may share. */
final class Index {

    private final Map<String, Set<String>> uids = new HashMap<>();

    void add(Collection<String> keys, String uid) {
        keys.forEach(
                key -> uids.computeIfAbsent(key, none -> new LinkedHashSet<>(2)).add(uid));
    }

    void remove(Collection<String> keys, String uid) {
        for (String key : keys) {
            Set<String> of = uids.getOrDefault(key, Set.of());
            if (of.remove(uid) && of.isEmpty()) {
                uids.remove(key);
            }
        }
    }

    List<String> get(String key) {
        return List.copyOf(uids.getOrDefault(key, Set.of()));
    }

    Set<String> keys() {
        return uids.keySet();
    }
}
