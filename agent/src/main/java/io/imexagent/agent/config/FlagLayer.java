package io.imexagent.agent.config;

import io.imexagent.agent.config.ConfigSources.FlagSetting;
import io.imexagent.agent.config.Layer.RawValue;
import io.imexagent.core.claim.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the command line says. */
final class FlagLayer {

    private FlagLayer() {}

    /** Reads the flags in their order. */
    static Layer read(List<FlagSetting> flags) {
        List<RawValue> values = new ArrayList<>();
        List<ConfigFault> faults = new ArrayList<>();
        for (FlagSetting flag : flags) {
            Layer one = flag(flag);
            values.addAll(one.values());
            faults.addAll(one.faults());
        }
        return new Layer(values, faults);
    }

    private static Layer flag(FlagSetting setting) {
        var origin = new Origin.Flag(setting.flag());
        return switch (setting.flag()) {
            case ConfigKeys.SET_FLAG -> set(setting.value(), origin);
            case ConfigKeys.FEATURE_GATES_FLAG -> GateList.read(setting.value(), origin);
            default -> one(new RawValue(keyOf(setting.flag()), setting.value(), origin));
        };
    }

    private static ConfigKey<?> keyOf(String flag) {
        return ConfigKeys.ALL.stream()
                .filter(key -> key.flag().equals(Optional.of(flag)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no key has the flag " + flag));
    }

    private static Layer set(String setting, Origin origin) {
        int equals = setting.indexOf('=');
        if (equals < 0) {
            return faulty(ConfigFault.in(origin, Quoted.of(setting) + " is not <key>=<value>"));
        }
        String path = setting.substring(0, equals).strip();
        Optional<ConfigKey<?>> key = ConfigKeys.find(path);
        if (key.isPresent()) {
            return one(new RawValue(key.get(), setting.substring(equals + 1), origin));
        }
        int dot = path.lastIndexOf('.');
        String section = dot > 0 && KeySpace.isSection(path.substring(0, dot)) ? path.substring(0, dot) : "";
        String name = section.isEmpty() ? path : path.substring(dot + 1);
        return faulty(
                ConfigFault.in(origin, "unknown key " + Quoted.of(path) + "; " + KeySpace.suggestion(section, name)));
    }

    private static Layer one(RawValue value) {
        return new Layer(List.of(value), List.of());
    }

    private static Layer faulty(ConfigFault fault) {
        return new Layer(List.of(), List.of(fault));
    }
}
