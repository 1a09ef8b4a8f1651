package io.imexagent.agent.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A valid configuration; the file that was read, empty where there was none; and what the operator should read at
 * start, one line each: gates forced off, the resolved gates, settings that have no effect.
 */
public record EffectiveConfig(AgentConfig config, Optional<Path> file, List<String> notes) {

    public EffectiveConfig {
        notes = List.copyOf(notes);
    }

    /** The configuration as a file that leads to it again, with each value's origin as a comment. */
    public String text() {
        var text = new SectionedText();
        for (ConfigKey key : ConfigKeys.ALL) {
            text.enter(key)
                    .line(key.textIn(config)
                            .map(value -> key.name() + ": " + SectionedText.scalar(value) + "  # "
                                    + config.values().origin(key).text())
                            .orElseGet(() -> "#" + key.name() + ":  # " + key.standardText()));
        }
        return text.toString();
    }
}
