package io.imexagent.agent.config;

import io.imexagent.agent.config.AgentConfig.Setting;
import io.imexagent.agent.config.ConfigKey.Standard;
import io.imexagent.agent.config.Layer.RawValue;
import io.imexagent.core.claim.Quoted;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The values that the sources set, read as what their keys want; the later beats the earlier. */
final class TypedValues {

    private final Map<ConfigKey<?>, Setting> values = new HashMap<>();
    private final Set<ConfigKey<?>> faulty = new HashSet<>();

    /** Takes a value in, or tells what is wrong with it. */
    Optional<ConfigFault> put(RawValue raw) {
        Optional<?> value = raw.key().type().parse(raw.text());
        if (value.isPresent()) {
            values.put(raw.key(), new Setting(value.get(), raw.origin()));
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
        values.put(key, new Setting(value, new Origin.Standard()));
    }

    /** Gives every key that no source set its default. The host's name is asked for apart, since it can fail. */
    void fillIn() {
        ConfigKeys.ALL.forEach(this::fillIn);
    }

    private <T> void fillIn(ConfigKey<T> key) {
        if (isUnset(key) && key.standard() instanceof Standard.Fixed<T> fixed) {
            putStandard(key, fixed.value());
        }
    }

    /** Takes keys whose last value was faulty for keys that nobody set. */
    void forgetFaults() {
        faulty.clear();
    }

    /** Puts a value in the place of the present one. */
    <T> void force(ConfigKey<T> key, T value, String by) {
        values.put(key, new Setting(value, new Origin.Forced(by)));
    }

    /** Whether no source and no default says anything about the key, not even something wrong. */
    boolean isUnset(ConfigKey<?> key) {
        return !values.containsKey(key) && !faulty.contains(key);
    }

    /** The values as they are now; a key whose last value was faulty has none. */
    AgentConfig config() {
        return new AgentConfig(values);
    }
}
