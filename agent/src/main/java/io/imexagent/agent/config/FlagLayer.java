package io.imexagent.agent.config;

import io.imexagent.agent.config.ConfigSources.FlagSetting;
import io.imexagent.core.claim.Quoted;
import java.util.List;
import java.util.Optional;

/** What the command line says. */
final class FlagLayer {

    private FlagLayer() {}

    /** Reads the flags in their order. */
    static Layer read(List<FlagSetting> flags) {
        var layer = new Layer();
        for (FlagSetting setting : flags) {
            var origin = new Origin.Flag(setting.flag());
            switch (setting.flag()) {
                case ConfigKeys.SET_FLAG -> set(setting.value(), origin, layer);
                case ConfigKeys.FEATURE_GATES_FLAG -> GateList.read(setting.value(), origin, layer);
                default -> layer.set(keyOf(setting.flag()), setting.value(), origin);
            }
        }
        return layer;
    }

    private static ConfigKey keyOf(String flag) {
        return ConfigKeys.ALL.stream()
                .filter(key -> key.flag().equals(Optional.of(flag)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no key has the flag " + flag));
    }

    private static void set(String setting, Origin origin, Layer layer) {
        int equals = setting.indexOf('=');
        if (equals < 0) {
            layer.add(ConfigFault.in(origin, Quoted.of(setting) + " is not <key>=<value>"));
            return;
        }
        String path = setting.substring(0, equals).strip();
        Optional<ConfigKey> key = ConfigKeys.find(path);
        if (key.isPresent()) {
            layer.set(key.get(), setting.substring(equals + 1), origin);
            return;
        }
        int dot = path.lastIndexOf('.');
        String section = dot > 0 && KeySpace.isSection(path.substring(0, dot)) ? path.substring(0, dot) : "";
        String name = section.isEmpty() ? path : path.substring(dot + 1);
        layer.add(ConfigFault.in(origin, "unknown key " + Quoted.of(path) + "; " + KeySpace.suggestion(section, name)));
    }
}
