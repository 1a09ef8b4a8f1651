package io.imexagent.agent.config;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/** The values of keys, with their origins. */
public record ConfigValues(Map<ConfigKey, ConfigEntry> entries) {

    public ConfigValues {
        entries = Map.copyOf(entries);
    }

    /** The parsed value of a key, and its origin. */
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

    /** The origin of the key's value; the default if it has no value. */
    public Origin origin(ConfigKey key) {
        return entry(key).map(ConfigEntry::origin).orElseGet(Origin.Default::new);
    }

    /**
     * Creates the record of a section and its subsections; each component has the value of its key. Every component
     * that is not an {@code Optional} needs a value.
     */
    <T extends Record> T record(String section, Class<T> type) {
        return record(section, type, Map.of());
    }

    /** Creates the record of a section; {@code others} are the components without a key, by name. */
    <T extends Record> T record(String section, Class<T> type, Map<String, Object> others) {
        RecordComponent[] components = type.getRecordComponents();
        try {
            return type.getConstructor(Arrays.stream(components)
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new))
                    .newInstance(Arrays.stream(components)
                            .map(component -> value(section, component, others))
                            .toArray());
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(type + " cannot be made", impossible);
        }
    }

    private Object value(String section, RecordComponent component, Map<String, Object> others) {
        String name = component.getName();
        return Optional.ofNullable(others.get(name))
                .or(() -> ConfigKeys.ofComponent(section, name).map(key -> key.inRecord(find(key))))
                .orElseGet(() -> record(
                        ConfigKeys.join(section, name), component.getType().asSubclass(Record.class)));
    }
}
