package io.imexagent.agent.config;

import io.imexagent.agent.config.ConfigValues.Entry;
import io.imexagent.agent.config.Layer.RawValue;
import io.imexagent.core.claim.Quoted;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The values that the sources set, read as what their keys want; the later beats the earlier. */
final class TypedValues {

    private final Map<ConfigKey, Entry> entries = new HashMap<>();
    private final Set<ConfigKey> faulty = new HashSet<>();

    /** Takes a value in, or tells what is wrong with it. */
    Optional<ConfigFault> put(RawValue raw) {
        ConfigKey key = raw.key();
        Optional<?> value = key.type().parse(raw.text());
        if (value.isPresent()) {
            entries.put(key, new Entry(value.get(), raw.origin()));
            faulty.remove(key);
            return Optional.empty();
        }
        entries.remove(key);
        faulty.add(key);
        return Optional.of(
                ConfigFault.at(raw.origin(), key.path(), Quoted.of(raw.text()) + " is not " + key.expected()));
    }

    /** Takes in a value that no source set. */
    void putStandard(ConfigKey key, Object value) {
        entries.put(key, new Entry(value, new Origin.Standard()));
    }

    /** Gives every key that no source set its default. The host's name is asked for apart, since it can fail. */
    void fillIn() {
        for (ConfigKey key : ConfigKeys.ALL) {
            if (isUnset(key)) {
                key.standard().ifPresent(value -> putStandard(key, value));
            }
        }
    }

    /** Takes keys whose last value was faulty for keys that nobody set. */
    void forgetFaults() {
        faulty.clear();
    }

    /** Puts a value in the place of the present one. */
    void force(ConfigKey key, Object value, String by) {
        entries.put(key, new Entry(value, new Origin.Forced(by)));
    }

    /** Whether no source and no default says anything about the key, not even something wrong. */
    boolean isUnset(ConfigKey key) {
        return !entries.containsKey(key) && !faulty.contains(key);
    }

    /** The values as they are now; a key whose last value was faulty has none. */
    ConfigValues values() {
        return new ConfigValues(entries);
    }
}
