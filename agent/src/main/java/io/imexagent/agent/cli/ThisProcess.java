package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.dra.claim.EffectListener;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.client.HttpKubernetesApi;
import java.time.Clock;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * What a process has of its own, handed down from its main method so that nothing below reaches for it.
 *
 * @param version the program's version
 * @param commit the commit that it was built from, abbreviated, or {@code unknown}
 * @param environment the environment's variables
 * @param clock the time of day
 * @param nanoTime the monotonic clock
 * @param random random numbers in 0 … 1
 * @param effects hears of each effect on a claim's files
 */
public record ThisProcess(
        String version,
        String commit,
        Map<String, String> environment,
        Clock clock,
        LongSupplier nanoTime,
        DoubleSupplier random,
        EffectListener effects) {

    /** Copies the map in. */
    public ThisProcess {
        environment = Map.copyOf(environment);
    }

    /** The API server as the node's kubeconfig leads to it; the client's name is for the server's log. */
    public KubernetesApi api(AgentConfig config, String client, ApiObserver observer) {
        return new HttpKubernetesApi(ClusterAccess.of(config.kubeconfigs()), client, clock, random, observer);
    }
}
