package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
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
                ClusterAccess.of(config.get(ConfigKeys.CONTROLLER_KUBECONFIG)),
                "imex-controller/" + version,
                identity,
                config.get(ConfigKeys.CONTROLLER_NAMESPACE),
                config.get(ConfigKeys.CALLS_PER_SECOND),
                process.clock(),
                process.random(),
                observer);
    }

    static ControllerPolicy policy(AgentConfig config) {
        return new ControllerPolicy(
                config.find(ConfigKeys.ISOLATION).orElse(Isolation.NONE),
                config.get(ConfigKeys.CHANNELS),
                config.get(ConfigKeys.QUARANTINE));
    }
}
