package io.imexagent.agent.config;

import io.imexagent.core.policy.Isolation;
import io.imexagent.imex.prepare.Sharing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Resolves the feature gates: HostManagedIMEX forces the two gates off that only make sense with the public driver's own
 * daemons, so that an operator sets one gate and not three.
 */
final class GateResolution {

    private static final List<ConfigKey<Boolean>> FORCED_OFF = List.of(ConfigKeys.DNS_NAMES, ConfigKeys.CLIQUES);

    /** The kubelet's deadline for a prepare, 45 s, and some for clocks that do not quite agree. */
    private static final Duration LEAST_REST = Duration.ofSeconds(60);

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
            shortRest(config).ifPresent(notes::add);
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

    /** Below it a prepare that hung as long as the kubelet lets it could grant a channel that is another's by now. */
    private static Optional<String> shortRest(AgentConfig config) {
        Duration rest = config.get(ConfigKeys.QUARANTINE);
        return config.find(ConfigKeys.ISOLATION).equals(Optional.of(Isolation.IMEX_CHANNEL))
                        && rest.compareTo(LEAST_REST) < 0
                ? Optional.of(ConfigKeys.QUARANTINE.path() + "=" + rest.toMillis() / 1000.0
                        + "s is for tests only: a prepare may take 45 s, and containers of a deleted pod run on for"
                        + " their grace period; set it to " + LEAST_REST.toSeconds() + "s or more")
                : Optional.empty();
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
