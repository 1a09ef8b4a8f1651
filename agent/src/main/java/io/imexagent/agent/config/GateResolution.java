package io.imexagent.agent.config;

import io.imexagent.core.policy.Isolation;
import io.imexagent.imex.prepare.Sharing;
import io.imexagent.imex.setting.ImexSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Resolves the feature gates: HostManagedIMEX forces the two gates off that only make sense with the public driver's own
 * daemons, so that an operator sets one gate and not three.
 */
final class GateResolution {

    private static final String HOST_MANAGED = "HostManagedIMEX";

    private GateResolution() {}

    /** Forces gates where they must be, and tells what an operator should read of it, one line each. */
    static List<String> apply(TypedValues values) {
        var config = new AgentConfig(values.values());
        ImexSettings imex = config.imex();
        List<String> notes = new ArrayList<>();
        var resolved = new StringBuilder("feature gates resolved");
        for (ConfigKey gate : ConfigKeys.in(ConfigKeys.FEATURE_GATES)) {
            boolean on = config.values().are(gate.path(), true);
            boolean forced = on && config.hostManaged() && !gate.name().equals(HOST_MANAGED);
            if (forced) {
                values.force(gate, false, HOST_MANAGED);
                notes.add("HostManagedIMEX is enabled; forcing " + gate.name() + "=false");
            }
            resolved.append(' ').append(gate.name()).append('=').append(on && !forced);
        }
        if (config.hostManaged()) {
            if (imex.isolation().equals(Optional.of(Isolation.NONE))
                    && imex.sharing().equals(Optional.of(Sharing.DOMAIN))) {
                notes.add(
                        "imex.sharing=Domain with imex.isolation=None: the scheduler cannot tell ComputeDomains apart,"
                                + " a pod of another one waits on the node until those of the first have ended");
            }
        } else {
            imex.isolation()
                    .ifPresent(isolation -> notes.add("HostManagedIMEX is disabled; imex.isolation=" + isolation.text()
                            + " is ignored, this agent only observes"));
            if (config.publication().cliqueLabel()) {
                notes.add("HostManagedIMEX is disabled; publication.cliqueLabel=true is ignored, this agent only"
                        + " observes and labels nothing");
            }
        }
        notes.add(resolved.toString());
        return notes;
    }
}
