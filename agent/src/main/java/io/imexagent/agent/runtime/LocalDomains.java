package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.controller.plan.ControllerPolicy;
import io.imexagent.controller.plan.LedgerEntry;
import io.imexagent.controller.report.ClusterReport;
import io.imexagent.controller.report.Reporter;
import io.imexagent.controller.state.ClusterState;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.control.ControlPlane;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** {@code imex-agent domains}: what the controller sees, read once. */
final class LocalDomains {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** A watch comes back by itself after most failures; one that lasts this long is told. */
    private static final Duration LASTING = Duration.ofSeconds(3);

    private static final long LOOK_MS = 10;

    private final ThisProcess process;
    private final String version;

    LocalDomains(ThisProcess process, String version) {
        this.process = process;
        this.version = version;
    }

    ClusterReport read(AgentConfig config) throws IOException, InterruptedException {
        try (ControlPlane cluster = RunningController.open(config, process, version, "domains", ApiObserver.NONE)) {
            var state = new ClusterState(uid -> {});
            state.watch(cluster);
            await(cluster, state);
            return new Reporter(policy(config, state))
                    .report(state, process.clock().instant(), published(cluster));
        }
    }

    /**
     * What the controllers' policy is, to the best of what is known here: the configuration's isolation, and where that is
     * not set, as on a host without agent and controller, what the cluster shows. Only the controller writes statuses and
     * the ledger, so a channel that they give to a ComputeDomain tells that there is isolation, and at least so many.
     */
    static ControllerPolicy policy(AgentConfig config, ClusterState state) {
        ControllerPolicy configured = RunningController.policy(config);
        if (config.find(ConfigKeys.ISOLATION).isPresent()) {
            return configured;
        }
        OptionalInt highest = Stream.concat(
                        state.domains().stream().flatMap(domain -> domain.channel().stream()),
                        state.channels().entries().values().stream()
                                .filter(entry -> entry.holder().isPresent())
                                .map(LedgerEntry::channel))
                .mapToInt(ChannelId::number)
                .filter(number -> number > 0)
                .max();
        return highest.isEmpty()
                ? configured
                : new ControllerPolicy(
                        Isolation.IMEX_CHANNEL,
                        Math.max(configured.channels(), highest.getAsInt() + 1),
                        configured.quarantine());
    }

    private void await(ControlPlane cluster, ClusterState state) throws IOException, InterruptedException {
        long begun = process.nanoTime().getAsLong();
        long sound = begun;
        while (!state.listed()) {
            long now = process.nanoTime().getAsLong();
            Optional<ApiFailure> failure = cluster.watchFailure();
            if (failure.isEmpty()) {
                sound = now;
            } else if (refused(failure.get()) || now - sound > LASTING.toNanos()) {
                throw new IOException(failure.get().message());
            }
            if (now - begun > PATIENCE.toNanos()) {
                throw new IOException("the API server did not list the ComputeDomains within " + PATIENCE.toSeconds()
                        + " s; see that it answers, and try again");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }

    /** Whether the server has said no, and will again. */
    private static boolean refused(ApiFailure failure) {
        return switch (failure.kind()) {
            case FORBIDDEN, UNAUTHORIZED, NO_RELATIONSHIP, INVALID, NOT_FOUND, UNSUPPORTED -> true;
            case UNREACHABLE, TIMEOUT, GONE, CONFLICT, THROTTLED, SERVER_ERROR, UNREADABLE -> false;
        };
    }

    /** What nodes publish; not known to who may not list ResourceSlices, and the rest is told without it. */
    private static Optional<Map<String, Set<ChannelId>>> published(ControlPlane cluster) throws IOException {
        try {
            return Optional.of(cluster.published());
        } catch (ApiException e) {
            if (e.failure().kind() == ApiFailure.Kind.FORBIDDEN) {
                return Optional.empty();
            }
            throw new IOException(e.getMessage(), e);
        }
    }
}
