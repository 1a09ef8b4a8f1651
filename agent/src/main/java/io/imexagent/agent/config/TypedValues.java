package io.imexagent.agent.config;

import io.imexagent.agent.config.Layer.RawValue;
import io.imexagent.core.claim.Quoted;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The values that the sources set, read as what their keys want; the later beats the earlier. */
final class TypedValues {

    private final Map<ConfigKey<?>, Typed> values = new HashMap<>();
    private final Set<ConfigKey<?>> faulty = new HashSet<>();

    /** Takes a value in, or tells what is wrong with it. */
    Optional<ConfigFault> put(RawValue raw) {
        Optional<?> value = raw.key().type().parse(raw.text());
        if (value.isPresent()) {
            values.put(raw.key(), new Typed(value.get(), raw.origin()));
            faulty.remove(raw.key());
            return Optional.empty();
        }
        values.remove(raw.key());
        faulty.add(raw.key());
        return Optional.of(ConfigFault.at(
                raw.origin(),
                raw.key().path(),
                Quoted.of(raw.text()) + " is not " + raw.key().expected()));
    }

    /** Takes in a value that no source set. */
    <T> void putStandard(ConfigKey<T> key, T value) {
        values.put(key, new Typed(value, new Origin.Standard()));
    }

    /** Takes keys whose last value was faulty for keys that nobody set. */
    void forgetFaults() {
        faulty.clear();
    }

    /** Puts a value in the place of the present one. */
    <T> void force(ConfigKey<T> key, T value, String by) {
        values.put(key, new Typed(value, new Origin.Forced(by)));
    }

    /** The key's value; empty where it has none, or a faulty one. */
    <T> Optional<T> find(ConfigKey<T> key) {
        return Optional.ofNullable(values.get(key))
                .map(typed -> key.type().javaType().cast(typed.value()));
    }

    /** The value of a key that always has one, once all faults are ruled out. */
    <T> T get(ConfigKey<T> key) {
        return find(key).orElseThrow(() -> new IllegalStateException(key + " has no value"));
    }

    /** Whether no source and no default says anything about the key, not even something wrong. */
    boolean isUnset(ConfigKey<?> key) {
        return !values.containsKey(key) && !faulty.contains(key);
    }

    /** Where the key's value came from; the default where it has none. */
    Origin origin(ConfigKey<?> key) {
        return Optional.ofNullable(values.get(key)).map(Typed::origin).orElseGet(Origin.Standard::new);
    }

    private record Typed(Object value, Origin origin) {}
}
