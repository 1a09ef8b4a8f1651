package io.imexagent.agent.config;

import io.imexagent.agent.config.Layer.RawValue;
import io.imexagent.core.claim.Quoted;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Feature gates in the public driver's form, {@code HostManagedIMEX=true,ComputeDomainCliques=false}. */
final class GateList {

    private GateList() {}

    /** Reads the list that stands at the origin. */
    static Layer read(String text, Origin origin) {
        List<RawValue> values = new ArrayList<>();
        List<ConfigFault> faults = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (String part : text.split(",", -1)) {
            String entry = part.strip();
            int equals = entry.indexOf('=');
            String name = equals < 0 ? entry : entry.substring(0, equals).strip();
            Optional<ConfigKey<?>> gate = gate(name);
            if (equals < 0) {
                faults.add(fault(origin, Quoted.of(entry) + " is not <gate>=true or <gate>=false"));
            } else if (gate.isEmpty()) {
                faults.add(fault(origin, unknown(name)));
            } else if (!seen.add(name)) {
                faults.add(fault(origin, name + " stands there twice"));
            } else {
                values.add(new RawValue(gate.get(), entry.substring(equals + 1).strip(), origin));
            }
        }
        return new Layer(values, faults);
    }

    private static Optional<ConfigKey<?>> gate(String name) {
        return ConfigKeys.gates().stream()
                .filter(key -> key.name().equals(name))
                .findFirst();
    }

    private static String unknown(String name) {
        return "unknown gate " + Quoted.of(name) + "; " + KeySpace.suggestion(ConfigKeys.FEATURE_GATES, name);
    }

    private static ConfigFault fault(Origin origin, String message) {
        return ConfigFault.at(origin, ConfigKeys.FEATURE_GATES, message);
    }
}
