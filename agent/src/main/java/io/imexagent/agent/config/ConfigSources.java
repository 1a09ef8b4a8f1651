package io.imexagent.agent.config;

import io.imexagent.core.claim.Quoted;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the command line says about the configuration: the file, empty for the default one, and flags, in the order in
 * which the later beats the earlier.
 */
public record ConfigSources(Optional<Path> file, List<FlagSetting> flags) {

    public ConfigSources {
        flags = List.copyOf(flags);
    }

    /**
     * A flag of {@link ConfigKeys#flags} and its value: {@code key=value}, {@code Gate=true,…} or the value of the
     * flag's own key.
     */
    public record FlagSetting(String flag, String value) {}

    /** What a command line says on which each flag has the values that are given for it. */
    public static ConfigSources of(Optional<Path> file, Function<String, List<String>> given) {
        List<FlagSetting> settings = new ArrayList<>();
        for (String flag : ConfigKeys.flags()) {
            given.apply(flag).forEach(value -> settings.add(new FlagSetting(flag, value)));
        }
        return new ConfigSources(file, settings);
    }

    void read(ConfigDraft draft) {
        for (FlagSetting setting : flags) {
            var origin = new Origin.Flag(setting.flag());
            switch (setting.flag()) {
                case ConfigKeys.SET_FLAG -> set(setting.value(), origin, draft);
                case ConfigKeys.FEATURE_GATES_FLAG -> draft.setGates(setting.value(), origin);
                default -> draft.set(keyOf(setting.flag()), setting.value(), origin);
            }
        }
    }

    private static ConfigKey keyOf(String flag) {
        return ConfigKeys.ALL.stream()
                .filter(key -> key.flag().equals(Optional.of(flag)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no key has the flag " + flag));
    }

    private static void set(String setting, Origin origin, ConfigDraft draft) {
        int equals = setting.indexOf('=');
        if (equals < 0) {
            draft.add(ConfigFault.in(origin, Quoted.of(setting) + " is not <key>=<value>"));
            return;
        }
        String path = setting.substring(0, equals).strip();
        Optional<ConfigKey> key = ConfigKeys.find(path);
        if (key.isPresent()) {
            draft.set(key.get(), setting.substring(equals + 1), origin);
            return;
        }
        int dot = path.lastIndexOf('.');
        boolean inSection = dot > 0 && ConfigKeys.isSection(path.substring(0, dot));
        draft.add(ConfigFault.in(
                origin,
                "unknown key " + Quoted.of(path) + "; "
                        + ConfigKeys.suggestion(
                                inSection ? path.substring(0, dot) : "", inSection ? path.substring(dot + 1) : path)));
    }
}
