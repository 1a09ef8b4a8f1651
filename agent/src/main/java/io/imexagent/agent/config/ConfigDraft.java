package io.imexagent.agent.config;

import io.imexagent.agent.config.ConfigValues.ConfigEntry;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.policy.Isolation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The values of all sources: a later value overrides an earlier one, whose fault remains. */
final class ConfigDraft {

    /** The explanation of two similar values of {@code imex.isolation}. */
    static final String ISOLATION_WORDS =
            Isolation.IMEX_DOMAIN.text() + " is another thing than the public driver's domain," + " which is "
                    + Isolation.NONE.text() + " here: " + Isolation.NONE.meaning();

    /** The configuration file; empty if there is none. */
    final Optional<Path> file;

    private final Map<ConfigKey, ConfigEntry> entries = new HashMap<>();

    /** The last values under our own names, and below those under the public driver's names. */
    private final Map<ConfigKey, ConfigEntry> ours = new HashMap<>();

    private final Map<ConfigKey, ConfigEntry> theirs = new HashMap<>();
    private final Set<ConfigKey> faulty = new HashSet<>();
    private final List<ConfigFault> faults = new ArrayList<>();

    ConfigDraft(Optional<Path> file) {
        this.file = file;
    }

    /** Sets the key to the value of this text, in our words or, for a key of the public driver too, in its words. */
    void set(ConfigKey key, String text, Origin origin) {
        Optional<PublicName> name = PublicName.ofWord(key, text);
        if (name.isPresent()) {
            set(name.get(), key.path(), text, origin);
            return;
        }
        Optional<Object> value = key.parse(text);
        if (value.isPresent()) {
            set(key, value.get(), origin, ours);
        } else {
            reject(key, ConfigFault.at(origin, key.path(), Quoted.of(text) + " is not " + expected(key)));
        }
    }

    /** Sets the key that corresponds to the public driver's name, for a variable or a flag. */
    void set(PublicName name, String text, Origin origin) {
        set(name, name.path(), text, origin);
    }

    /** Sets the key that corresponds to the public driver's name; faults name the path as it was written. */
    void set(PublicName name, String path, String text, Origin origin) {
        Optional<Object> value = name.ours(text).flatMap(name.key()::parse);
        if (value.isPresent()) {
            var entry = new ConfigEntry(value.get(), new Origin.FromPublicDriver(origin, path + ": " + text));
            ConfigEntry before = theirs.get(name.key());
            if (before != null) {
                // All places of the public driver's name have the same precedence.
                checkSame(name, before, entry);
            }
            set(name.key(), entry.value(), entry.origin(), theirs);
        } else {
            String hint =
                    name == PublicName.ISOLATION && Isolation.IMEX_DOMAIN.text().equals(text)
                            ? "; " + ISOLATION_WORDS
                            : "";
            reject(name.key(), ConfigFault.at(origin, path, Quoted.of(text) + " is not " + name.expected() + hint));
        }
    }

    private void set(ConfigKey key, Object value, Origin origin, Map<ConfigKey, ConfigEntry> among) {
        put(key, value, origin);
        faulty.remove(key);
        among.put(key, new ConfigEntry(value, origin));
    }

    private void reject(ConfigKey key, ConfigFault fault) {
        entries.remove(key);
        faulty.add(key);
        add(fault);
    }

    private static String expected(ConfigKey key) {
        List<String> words = Arrays.stream(PublicName.values())
                .filter(name -> name.path().equals(key.path()))
                .flatMap(name -> name.choices().stream())
                .toList();
        return key.expected()
                + (words.isEmpty() ? "" : ", or in the public driver's words one of " + String.join(", ", words));
    }

    /** Adds a fault for each key with different values under our name and the public driver's; neither overrides. */
    void checkNames() {
        for (PublicName name : PublicName.values()) {
            ConfigEntry own = ours.get(name.key());
            ConfigEntry other = theirs.get(name.key());
            if (own != null && other != null) {
                checkSame(name, own, other);
            }
        }
    }

    private void checkSame(PublicName name, ConfigEntry one, ConfigEntry other) {
        ConfigKey key = name.key();
        if (!one.value().equals(other.value())) {
            add(ConfigFault.at(
                    other.origin(),
                    key,
                    "means " + key.path() + ": " + key.print(other.value()) + ", and "
                            + one.origin().text() + " says " + key.path() + ": " + key.print(one.value())
                            + "; remove one of them"));
        }
    }

    /** Sets feature gates from the public driver's form, {@code HostManagedIMEX=true,ComputeDomainCliques=false}. */
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

    /** Replaces the present value, whether it is faulty or not. */
    void put(ConfigKey key, Object value, Origin origin) {
        entries.put(key, new ConfigEntry(value, origin));
    }

    /** Sets the defaults of keys that no source set. The node's name is read separately, since this can fail. */
    void fillIn() {
        for (ConfigKey key : ConfigKeys.ALL) {
            if (isUnset(key)) {
                key.defaultValue().ifPresent(value -> put(key, value, new Origin.Default()));
            }
        }
    }

    /** Whether the key has no value from a source or default, not even a faulty one. */
    boolean isUnset(ConfigKey key) {
        return !entries.containsKey(key) && !faulty.contains(key);
    }

    void clear() {
        entries.clear();
        ours.clear();
        theirs.clear();
        faulty.clear();
        faults.clear();
    }

    void forgetFaultyValues() {
        faulty.clear();
    }

    /** The present values; a key whose last value was faulty has none. */
    ConfigValues values() {
        return new ConfigValues(entries);
    }

    void add(ConfigFault fault) {
        faults.add(fault);
    }

    /** All faults: those of the file by line, then those of other sources in the order in which they were found. */
    List<ConfigFault> faults() {
        return faults.stream()
                .sorted(Comparator.comparingInt(ConfigFault::line))
                .toList();
    }
}
