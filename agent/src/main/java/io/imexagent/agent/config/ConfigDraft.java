package io.imexagent.agent.config;

import io.imexagent.agent.config.ConfigValues.Entry;
import io.imexagent.core.claim.Quoted;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the sources say: a later value beats an earlier one, whose fault remains. */
final class ConfigDraft {

    /** The configuration file; empty where there is none. */
    final Optional<Path> file;

    private final Map<ConfigKey, Entry> entries = new HashMap<>();
    private final Set<ConfigKey> faulty = new HashSet<>();
    private final List<ConfigFault> faults = new ArrayList<>();

    ConfigDraft(Optional<Path> file) {
        this.file = file;
    }

    void set(ConfigKey key, String text, Origin origin) {
        Optional<?> value = key.parse(text);
        if (value.isPresent()) {
            put(key, value.get(), origin);
            faulty.remove(key);
        } else {
            entries.remove(key);
            faulty.add(key);
            add(ConfigFault.at(origin, key.path(), Quoted.of(text) + " is not " + key.expected()));
        }
    }

    /** Takes in feature gates in the public driver's form, {@code HostManagedIMEX=true,ComputeDomainCliques=false}. */
    void setGates(String text, Origin origin) {
        String section = ConfigKeys.FEATURE_GATES;
        Set<String> seen = new HashSet<>();
        for (String part : text.split(",", -1)) {
            String entry = part.strip();
            int equals = entry.indexOf('=');
            String name = equals < 0 ? entry : entry.substring(0, equals).strip();
            Optional<ConfigKey> gate = ConfigKeys.find(ConfigKeys.join(section, name));
            if (equals < 0) {
                add(ConfigFault.at(origin, section, Quoted.of(entry) + " is not <gate>=true or <gate>=false"));
            } else if (gate.isEmpty()) {
                String known = ConfigKeys.suggestion(section, name);
                add(ConfigFault.at(origin, section, "unknown gate " + Quoted.of(name) + "; " + known));
            } else if (seen.add(name)) {
                set(gate.get(), entry.substring(equals + 1).strip(), origin);
            } else {
                add(ConfigFault.at(origin, section, name + " stands there twice"));
            }
        }
    }

    /** Puts a value in the place of the present one, whether that is faulty or not. */
    void put(ConfigKey key, Object value, Origin origin) {
        entries.put(key, new Entry(value, origin));
    }

    /** Gives every key that no source set its default. The host's name is asked for apart, since it can fail. */
    void fillIn() {
        for (ConfigKey key : ConfigKeys.ALL) {
            if (isUnset(key)) {
                key.standard().ifPresent(value -> put(key, value, new Origin.Standard()));
            }
        }
    }

    /** Whether no source and no default says anything about the key, not even something wrong. */
    boolean isUnset(ConfigKey key) {
        return !entries.containsKey(key) && !faulty.contains(key);
    }

    void clear() {
        entries.clear();
        faulty.clear();
        faults.clear();
    }

    void forgetFaultyValues() {
        faulty.clear();
    }

    /** The values as they are now; a key whose last value was faulty has none. */
    ConfigValues values() {
        return new ConfigValues(entries);
    }

    void add(ConfigFault fault) {
        faults.add(fault);
    }

    /** What is wrong: with the file in the order of its lines, with other sources in the order in which it was found. */
    List<ConfigFault> faults() {
        return faults.stream()
                .sorted(Comparator.comparingInt(ConfigFault::line))
                .toList();
    }
}
