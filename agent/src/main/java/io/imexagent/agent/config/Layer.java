package io.imexagent.agent.config;

import java.util.ArrayList;
import java.util.List;

/** What one source says about the configuration, collected as it is read. */
final class Layer {

    private final List<RawValue> values = new ArrayList<>();
    private final List<ConfigFault> faults = new ArrayList<>();

    /** A value as it stands in a source. */
    record RawValue(ConfigKey key, String text, Origin origin) {}

    void set(ConfigKey key, String text, Origin origin) {
        values.add(new RawValue(key, text, origin));
    }

    void add(ConfigFault fault) {
        faults.add(fault);
    }

    Layer with(ConfigFault fault) {
        add(fault);
        return this;
    }

    /** The values that it sets; of two for one key the later holds. */
    List<RawValue> values() {
        return List.copyOf(values);
    }

    /** What is wrong with it. */
    List<ConfigFault> faults() {
        return List.copyOf(faults);
    }
}
