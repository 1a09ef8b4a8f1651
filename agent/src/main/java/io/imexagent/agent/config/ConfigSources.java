package io.imexagent.agent.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What the command line says about the configuration.
 *
 * @param file the configuration file that it names; empty for the default one
 * @param flags its flags, in the order in which the later beats the earlier
 */
public record ConfigSources(Optional<Path> file, List<FlagSetting> flags) {

    /** Copies the list in. */
    public ConfigSources {
        flags = List.copyOf(flags);
    }

    /**
     * A flag that sets values.
     *
     * @param flag {@link ConfigKeys#SET_FLAG}, {@link ConfigKeys#FEATURE_GATES_FLAG}, or a key's own flag
     * @param value the flag's value: {@code key=value}, {@code Gate=true,…} or the key's value
     */
    public record FlagSetting(String flag, String value) {}
}
