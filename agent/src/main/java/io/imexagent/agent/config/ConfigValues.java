package io.imexagent.agent.config;

import io.imexagent.core.setting.Values;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/** What keys are set to, and where that came from. */
public record ConfigValues(Map<ConfigKey, ConfigEntry> entries) {

    public ConfigValues {
        entries = Map.copyOf(entries);
    }

    /** What a key is set to, as its type has parsed it, and where that came from. */
    public record ConfigEntry(Object value, Origin origin) {}

    Optional<ConfigEntry> entry(ConfigKey key) {
        return Optional.ofNullable(entries.get(key));
    }

    Optional<Object> find(ConfigKey key) {
        return entry(key).map(ConfigEntry::value);
    }

    boolean are(String path, Object value) {
        return find(ConfigKeys.at(path)).equals(Optional.of(value));
    }

    /** Where the key's value came from; the default where it has none. */
    public Origin origin(ConfigKey key) {
        return entry(key).map(ConfigEntry::origin).orElseGet(Origin.Default::new);
    }

    /** The values of the section, and of those in it, for the components of its record; of all for the empty one. */
    Values in(String section) {
        Iterator<ConfigKey> keys = ConfigKeys.in(section).iterator();
        return new Values() {
            @Override
            @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // of its component's type
            public <T> T next() {
                ConfigKey key = keys.next();
                return (T) key.inRecord(find(key));
            }
        };
    }
}
