package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.controller.plan.ControllerPolicy;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.client.HttpControlPlane;
import io.imexagent.kubernetes.control.ControlPlane;

/** What the configuration says to a controller, and to those who look at its work. */
final class ControllerAccess {

    private ControllerAccess() {}

    static ControlPlane open(
            AgentConfig config, ThisProcess process, String version, String identity, ApiObserver observer) {
        return new HttpControlPlane(
                ClusterAccess.of(config.controller().kubeconfig()),
                "imex-controller/" + version,
                identity,
                config.controller().namespace(),
                config.controller().callsPerSecond(),
                process.clock(),
                process.random(),
                observer);
    }

    static ControllerPolicy policy(AgentConfig config) {
        return new ControllerPolicy(
                config.imex().isolation().orElse(Isolation.NONE),
                config.imex().channels(),
                config.controller().quarantine());
    }
}
