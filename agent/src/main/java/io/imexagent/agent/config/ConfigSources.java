package io.imexagent.agent.config;

import io.imexagent.core.claim.Quoted;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The configuration on the command line: the file, empty for the default one, and the given values of each flag of
 * {@link ConfigKeys#flags}, in their order.
 */
public record ConfigSources(Optional<Path> file, Map<String, List<String>> flags) {

    public ConfigSources {
        flags = Map.copyOf(flags);
    }

    void read(ConfigDraft draft) {
        for (ConfigKey key : ConfigKeys.ALL) {
            key.flag().ifPresent(flag -> read(flag, (text, origin) -> draft.set(key, text, origin)));
        }
        for (PublicName name : PublicName.values()) {
            read(name.flag(), (text, origin) -> draft.set(name, text, origin));
        }
        read(ConfigKeys.FEATURE_GATES_FLAG, draft::setGates);
        read(ConfigKeys.SET_FLAG, (setting, origin) -> set(setting, origin, draft));
    }

    private void read(String flag, BiConsumer<String, Origin> reader) {
        flags.getOrDefault(flag, List.of()).forEach(text -> reader.accept(text, new Origin.FromFlag(flag)));
    }

    private static void set(String setting, Origin origin, ConfigDraft draft) {
        int equals = setting.indexOf('=');
        if (equals < 0) {
            draft.add(ConfigFault.in(origin, Quoted.of(setting) + " is not <key>=<value>"));
            return;
        }
        String path = setting.substring(0, equals).strip();
        String text = setting.substring(equals + 1);
        Optional<ConfigKey> key = ConfigKeys.find(path);
        Optional<PublicName> publicName = PublicName.at(path);
        if (key.isPresent()) {
            draft.set(key.get(), text, origin);
            return;
        }
        if (publicName.isPresent()) {
            draft.set(publicName.get(), path, text, origin);
            return;
        }
        int dot = path.lastIndexOf('.');
        String section = dot > 0 && ConfigKeys.isSection(path.substring(0, dot)) ? path.substring(0, dot) : "";
        String name = section.isEmpty() ? path : path.substring(dot + 1);
        draft.add(
                ConfigFault.in(origin, "unknown key " + Quoted.of(path) + "; " + ConfigKeys.suggestion(section, name)));
    }
}
