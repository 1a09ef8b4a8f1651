package io.imexagent.agent.config;

import io.imexagent.core.claim.Quoted;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Feature gates in the public driver's form, {@code HostManagedIMEX=true,ComputeDomainCliques=false}. */
final class GateList {

    private static final String SECTION = ConfigKeys.FEATURE_GATES;

    private GateList() {}

    /** Reads the list that stands at the origin. */
    static void read(String text, Origin origin, Layer layer) {
        Set<String> seen = new HashSet<>();
        for (String part : text.split(",", -1)) {
            String entry = part.strip();
            int equals = entry.indexOf('=');
            String name = equals < 0 ? entry : entry.substring(0, equals).strip();
            Optional<ConfigKey> gate = ConfigKeys.find(KeySpace.join(SECTION, name));
            if (equals < 0) {
                fault(origin, Quoted.of(entry) + " is not <gate>=true or <gate>=false", layer);
            } else if (gate.isEmpty()) {
                fault(origin, "unknown gate " + Quoted.of(name) + "; " + KeySpace.suggestion(SECTION, name), layer);
            } else if (!seen.add(name)) {
                fault(origin, name + " stands there twice", layer);
            } else {
                layer.set(gate.get(), entry.substring(equals + 1).strip(), origin);
            }
        }
    }

    private static void fault(Origin origin, String message, Layer layer) {
        layer.add(ConfigFault.at(origin, SECTION, message));
    }
}
