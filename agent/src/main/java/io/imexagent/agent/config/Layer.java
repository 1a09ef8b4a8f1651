package io.imexagent.agent.config;

import java.util.List;

/**
 * What one source says about the configuration.
 *
 * @param values the values that it sets; of two for one key the later holds
 * @param faults what is wrong with it
 */
record Layer(List<RawValue> values, List<ConfigFault> faults) {

    /** Copies the lists in. */
    Layer {
        values = List.copyOf(values);
        faults = List.copyOf(faults);
    }

    /**
     * A value as it stands in a source.
     *
     * @param key the key
     * @param text the value's text
     * @param origin where it stands
     */
    record RawValue(ConfigKey<?> key, String text, Origin origin) {}
}
