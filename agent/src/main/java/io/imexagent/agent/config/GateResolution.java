package io.imexagent.agent.config;

import io.imexagent.core.policy.Isolation;
import io.imexagent.imex.prepare.Sharing;
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
        AgentConfig config = values.config();
        List<String> notes = new ArrayList<>();
        if (config.get(ConfigKeys.HOST_MANAGED_IMEX)) {
            for (ConfigKey<Boolean> gate : FORCED_OFF) {
                if (config.get(gate)) {
                    values.force(gate, false, ConfigKeys.HOST_MANAGED_IMEX.name());
                    notes.add("HostManagedIMEX is enabled; forcing " + gate.name() + "=false");
                }
            }
            if (config.find(ConfigKeys.ISOLATION).equals(Optional.of(Isolation.NONE))
                    && config.find(ConfigKeys.SHARING).equals(Optional.of(Sharing.DOMAIN))) {
                notes.add(
                        "imex.sharing=Domain with imex.isolation=None: the scheduler cannot tell ComputeDomains apart,"
                                + " a pod of another one waits on the node until those of the first have ended");
            }
        } else {
            config.find(ConfigKeys.ISOLATION)
                    .ifPresent(isolation -> notes.add("HostManagedIMEX is disabled; imex.isolation=" + isolation.text()
                            + " is ignored, this agent only observes"));
            if (config.find(ConfigKeys.CLIQUE_LABEL).equals(Optional.of(true))) {
                notes.add("HostManagedIMEX is disabled; " + ConfigKeys.CLIQUE_LABEL.path()
                        + "=true is ignored, this agent only observes and labels nothing");
            }
        }
        notes.add("feature gates resolved" + gates(values.config()));
        return notes;
    }

    private static String gates(AgentConfig config) {
        var text = new StringBuilder();
        for (ConfigKey<?> gate : ConfigKeys.gates()) {
            Optional<?> on = config.find(gate);
            on.ifPresent(
                    value -> text.append(' ').append(gate.name()).append('=').append(value));
        }
        return text.toString();
    }
}
