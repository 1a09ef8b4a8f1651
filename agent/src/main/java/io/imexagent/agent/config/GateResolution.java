package io.imexagent.agent.config;

import io.imexagent.core.policy.Isolation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Resolves the feature gates: HostManagedIMEX forces the two gates off that only make sense with the public driver's own
 * daemons, so that an operator sets one gate and not three.
 */
final class GateResolution {

    private static final List<ConfigKey<Boolean>> FORCED_OFF = List.of(ConfigKeys.DNS_NAMES, ConfigKeys.CLIQUES);

    private GateResolution() {}

    /** Forces gates where they must be, and tells what an operator should read of it, one line each. */
    static List<String> apply(TypedValues values) {
        List<String> notes = new ArrayList<>();
        if (values.get(ConfigKeys.HOST_MANAGED_IMEX)) {
            for (ConfigKey<Boolean> gate : FORCED_OFF) {
                if (values.get(gate)) {
                    values.force(gate, false, ConfigKeys.HOST_MANAGED_IMEX.name());
                    notes.add("HostManagedIMEX is enabled; forcing " + gate.name() + "=false");
                }
            }
            if (values.find(ConfigKeys.ISOLATION).equals(Optional.of(Isolation.IMEX_CHANNEL))) {
                notes.add("imex.isolation=IMEXChannel is for controllers in this version; imex-agent run refuses it,"
                        + " agents serve channel 0 only");
            }
        } else {
            values.find(ConfigKeys.ISOLATION)
                    .ifPresent(isolation -> notes.add("HostManagedIMEX is disabled; imex.isolation=" + isolation.text()
                            + " is ignored, this agent only observes"));
        }
        notes.add("feature gates resolved" + gates(values));
        return notes;
    }

    private static String gates(TypedValues values) {
        var text = new StringBuilder();
        for (ConfigKey<?> gate : ConfigKeys.gates()) {
            Optional<?> on = values.find(gate);
            on.ifPresent(
                    value -> text.append(' ').append(gate.name()).append('=').append(value));
        }
        return text.toString();
    }
}
