package io.imexagent.agent.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A valid configuration, and how it came to be.
 *
 * @param config the values
 * @param file the file that was read; empty where there was none
 * @param notes what the operator should read at start, one line each: gates forced off, the resolved gates, settings
 *     that have no effect
 */
public record EffectiveConfig(AgentConfig config, Optional<Path> file, List<String> notes) {

    /** Copies the list in. */
    public EffectiveConfig {
        notes = List.copyOf(notes);
    }
}
