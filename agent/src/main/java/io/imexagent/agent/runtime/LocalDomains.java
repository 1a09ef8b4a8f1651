package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.DomainsSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.controller.report.DomainReport;
import io.imexagent.controller.report.Reporter;
import io.imexagent.controller.state.ClusterState;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.control.ControlPlane;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** {@code imex-agent domains}: what the controller sees, read once. */
final class LocalDomains implements DomainsSource {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long LOOK_MS = 10;

    private final ThisProcess process;
    private final String version;

    LocalDomains(ThisProcess process, String version) {
        this.process = process;
        this.version = version;
    }

    @Override
    public List<DomainReport> read(AgentConfig config) throws IOException, InterruptedException {
        try (ControlPlane cluster = ControllerAccess.open(config, process, version, "domains", ApiObserver.NONE)) {
            var state = new ClusterState(uid -> {});
            state.watch(cluster);
            await(cluster, state);
            return new Reporter(ControllerAccess.policy(config))
                    .report(state, process.clock().instant(), published(cluster));
        }
    }

    private void await(ControlPlane cluster, ClusterState state) throws IOException, InterruptedException {
        long begun = process.nanoTime().getAsLong();
        while (!state.listed()) {
            Optional<ApiFailure> failure = cluster.watchFailure();
            if (failure.isPresent()) {
                throw new IOException(failure.get().message());
            }
            if (process.nanoTime().getAsLong() - begun > PATIENCE.toNanos()) {
                throw new IOException("the API server did not list the ComputeDomains within " + PATIENCE.toSeconds()
                        + " s; see that it answers, and try again");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
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
