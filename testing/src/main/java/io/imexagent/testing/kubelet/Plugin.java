package io.imexagent.testing.kubelet;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** A plugin that is registered. Safe for any thread. */
public final class Plugin {

    /** The node service that the kubelet likes best. */
    public static final String V1 = "v1.DRAPlugin";

    /** The node service of older kubelets. */
    public static final String V1BETA1 = "v1beta1.DRAPlugin";

    private static final String HEALTH = "v1alpha1.DRAResourceHealth";

    private final KubeletEvent.Registered registration;
    private final Duration timeout;
    private final ManagedChannel channel;
    private final NodeApi api;
    private final Optional<HealthWatch> health;

    Plugin(KubeletEvent.Registered registration, KubeletOptions options, Sockets sockets, EventLog journal) {
        this.registration = registration;
        this.timeout = options.callTimeout();
        this.channel = sockets.services(registration.endpoint());
        this.api = registration.service().equals(V1) ? new NodeApi.V1(channel) : new NodeApi.V1Beta1(channel);
        this.health = registration.services().contains(HEALTH)
                ? Optional.of(new HealthWatch(registration.driver(), channel, options.healthRetry(), sockets, journal))
                : Optional.empty();
    }

    /** What it registered with. */
    public KubeletEvent.Registered registration() {
        return registration;
    }

    /**
     * Asks the plugin to prepare claims and waits for its answer.
     *
     * @return an answer for the UID of each claim
     * @throws PluginCallException if the call failed, or left a claim without an answer
     */
    public Map<String, ClaimResult> prepare(List<Claim> claims) {
        return call("NodePrepareResources", claims, () -> api.prepare(claims, timeout));
    }

    /**
     * Asks the plugin to unprepare claims and waits for its answer.
     *
     * @return an answer for the UID of each claim
     * @throws PluginCallException if the call failed, or left a claim without an answer
     */
    public Map<String, ClaimResult> unprepare(List<Claim> claims) {
        return call("NodeUnprepareResources", claims, () -> api.unprepare(claims, timeout));
    }

    void watchHealth() {
        health.ifPresent(HealthWatch::open);
    }

    Path socket() {
        return registration.socket();
    }

    void close() {
        health.ifPresent(HealthWatch::close);
        channel.shutdownNow();
    }

    private static Map<String, ClaimResult> call(
            String method, List<Claim> claims, Supplier<Map<String, ClaimResult>> call) {
        Map<String, ClaimResult> results;
        try {
            results = call.get();
        } catch (StatusRuntimeException failure) {
            throw new PluginCallException(
                    failure.getStatus().getCode().name(), method + " failed: " + failure.getMessage(), failure);
        }
        long skipped = claims.stream()
                .filter(claim -> !results.containsKey(claim.uid()))
                .count();
        if (skipped > 0) {
            throw new PluginCallException("SKIPPED", method + " skipped " + skipped + " ResourceClaims");
        }
        return results;
    }
}
