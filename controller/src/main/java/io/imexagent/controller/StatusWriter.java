package io.imexagent.controller;

import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.DomainPlanner.Problem;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.text.NameList;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.DomainStatus;
import io.imexagent.kubernetes.DomainCondition;
import io.imexagent.kubernetes.DomainCondition.ConditionStatus;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the status of ComputeDomains with its conditions, in one call, if it differs. If the server drops the
 * conditions, because the definition of ComputeDomains is the public driver's, missing conditions cause no write until
 * this controller begins to lead again.
 */
final class StatusWriter {

    /** The reason of Degraded while nodes that hold a ComputeDomain do not answer. */
    static final String NODES_LOST = "NodesLost";

    private static final String DEGRADED = "Degraded";
    private static final String BOUND = "ChannelBound";
    private static final String READY = "Ready";
    private static final String MODE_IGNORED = Problem.Reason.ALLOCATION_MODE_IGNORED.text();

    /** The reasons of Degraded that follow from nodes or tables. */
    private static final List<String> OF_FABRIC = Stream.concat(
                    Stream.of(NODES_LOST),
                    Stream.of(
                                    Problem.Reason.CHANNEL_CONFLICT,
                                    Problem.Reason.CHANNEL_SHARED,
                                    Problem.Reason.TEMPLATE_KEPT,
                                    Problem.Reason.NODES_DIFFER)
                            .map(Problem.Reason::text))
            .toList();

    private static final int NAMED = 3;
    private static final Logger LOG = LoggerFactory.getLogger(StatusWriter.class);

    private final ControlPlane cluster;
    private final ClusterState state;
    private final ControllerPolicy policy;
    private final Supplier<Optional<Set<String>>> lostNodes;
    private final InstantSource clock;
    private volatile boolean kept = true;

    /** {@code lostNodes} supplies the nodes that do not answer, empty while they are unknown. */
    StatusWriter(
            ControlPlane cluster,
            ClusterState state,
            ControllerPolicy policy,
            Supplier<Optional<Set<String>>> lostNodes,
            InstantSource clock) {
        this.cluster = cluster;
        this.state = state;
        this.policy = policy;
        this.lostNodes = lostNodes;
        this.clock = clock;
    }

    /** Called when this controller begins to lead: it tries conditions again, since the definition may have changed. */
    void begin() {
        kept = true;
    }

    /** Whether nodes and tables are still unknown. A new leader withdraws no condition before it has read them. */
    boolean waiting() {
        return !state.fabricListed();
    }

    /** Whether nodes or tables show that a ComputeDomain is degraded. */
    static boolean degradedByFabric(DomainObject domain) {
        return OF_FABRIC.stream().anyMatch(reason -> degradedBy(domain, reason));
    }

    static boolean degradedBy(DomainObject domain, String reason) {
        return find(domain, DEGRADED)
                .filter(degraded -> degraded.status() == ConditionStatus.TRUE)
                .filter(degraded -> degraded.reason().equals(reason))
                .isPresent();
    }

    /** The isolation of the controller that wrote the conditions of a ComputeDomain; empty if it has no conditions. */
    static Optional<Isolation> isolation(DomainObject domain) {
        return find(domain, BOUND)
                .map(bound -> bound.reason().equals(ConditionText.ISOLATION_NONE.reason())
                        ? Isolation.NONE
                        : Isolation.IMEX_CHANNEL);
    }

    private static Optional<DomainCondition> find(DomainObject domain, String type) {
        return domain.status().conditions().stream()
                .filter(condition -> condition.type().equals(type))
                .findFirst();
    }

    /** Writes the status if it differs; returns whether it was written. */
    boolean write(DomainObject domain, boolean ready, List<Problem> problems) throws ApiException {
        List<DomainCondition> before = domain.status().conditions();
        List<DomainCondition> own = conditions(domain, ready, problems).stream()
                .map(condition -> condition.after(before))
                .toList();
        if (ready == domain.ready() && (!kept || before.containsAll(own))) {
            return false;
        }
        DomainObject now = cluster.setStatus(domain, new DomainStatus(ready, own));
        List<DomainCondition> after = now.status().conditions();
        // A server that stores conditions of other writers does not drop conditions.
        boolean asWritten = after.containsAll(own) || after.stream().anyMatch(condition -> isOthers(condition, own));
        if (kept && !asWritten) {
            LOG.info("the API server drops the conditions of ComputeDomains: their CRD is the public driver's or"
                    + " an older one; apply what imex-agent manifests prints, then restart the controller");
        }
        kept = asWritten;
        state.domains.put(now);
        return true;
    }

    private static boolean isOthers(DomainCondition condition, List<DomainCondition> own) {
        return own.stream().noneMatch(one -> one.type().equals(condition.type()));
    }

    private List<DomainCondition> conditions(DomainObject domain, boolean ready, List<Problem> problems) {
        Optional<ConditionText> wrong = problems.stream()
                .filter(problem -> problem.reason().warning())
                .findFirst()
                .map(worst ->
                        new ConditionText(ConditionStatus.TRUE, worst.reason().text(), worst.message()));
        ConditionText notReady = wrong.map(
                        text -> new ConditionText(ConditionStatus.FALSE, text.reason(), text.message()))
                .orElse(ConditionText.NO_TEMPLATE);
        Stream<DomainCondition> always = Stream.of(
                condition(domain, READY, ready ? ConditionText.TEMPLATE_READY : notReady),
                channelBound(domain),
                wrong.map(text -> condition(domain, DEGRADED, text)).orElseGet(() -> degradedByNodes(domain)));
        // The spec never changes, so this condition is never removed.
        Stream<DomainCondition> ignored = DomainPlanner.ignoredMode(domain).stream()
                .map(problem -> condition(
                        domain,
                        MODE_IGNORED,
                        new ConditionText(ConditionStatus.TRUE, "HostManagedIMEX", problem.message())));
        return Stream.concat(always, ignored).toList();
    }

    private DomainCondition channelBound(DomainObject domain) {
        if (!policy.isolating()) {
            return condition(domain, BOUND, ConditionText.ISOLATION_NONE);
        }
        if (waiting()) {
            return find(domain, BOUND).orElseGet(() -> condition(domain, BOUND, ConditionText.NOT_LISTED));
        }
        return condition(
                domain,
                BOUND,
                state.bound(domain.ref().uid()) ? ConditionText.CHANNEL_ASSIGNED : ConditionText.NO_CHANNEL);
    }

    private DomainCondition degradedByNodes(DomainObject domain) {
        Optional<Set<String>> known = state.fabricListed() ? lostNodes.get() : Optional.empty();
        if ((known.isEmpty() && degradedBy(domain, NODES_LOST)) || (waiting() && degradedByFabric(domain))) {
            return find(domain, DEGRADED).orElseThrow();
        }
        List<String> lost = state.holders(domain.ref().uid()).stream()
                .filter(known.orElse(Set.of())::contains)
                .sorted()
                .toList();
        String message = "its channel stays taken by nodes that are NotReady or gone: " + NameList.some(lost, NAMED);
        return condition(
                domain,
                DEGRADED,
                lost.isEmpty()
                        ? ConditionText.AS_EXPECTED
                        : new ConditionText(ConditionStatus.TRUE, NODES_LOST, message));
    }

    private DomainCondition condition(DomainObject domain, String type, ConditionText text) {
        return new DomainCondition(
                type, text.status(), text.reason(), text.message(), domain.generation(), clock.instant());
    }

    /** The text of a condition. The constants are the texts that are the same for every ComputeDomain. */
    private record ConditionText(ConditionStatus status, String reason, String message) {

        private static final ConditionText TEMPLATE_READY = new ConditionText(
                ConditionStatus.TRUE,
                "TemplateReady",
                "its ResourceClaimTemplate is there; this says nothing of nvidia-imex");
        private static final ConditionText NO_TEMPLATE =
                new ConditionText(ConditionStatus.FALSE, "NoTemplate", "the ResourceClaimTemplate is not there");
        private static final ConditionText ISOLATION_NONE = new ConditionText(
                ConditionStatus.UNKNOWN, "IsolationNone", "all workloads use channel 0, and no table says which do");
        private static final ConditionText NOT_LISTED = new ConditionText(
                ConditionStatus.UNKNOWN,
                "NotListed",
                "the controller has not read the tables of channels, NVLinkCliques, yet");
        private static final ConditionText CHANNEL_ASSIGNED = new ConditionText(
                ConditionStatus.TRUE,
                "ChannelAssigned",
                "it has a channel of its own in each clique where its pods run; NVLinkCliques say which");
        private static final ConditionText NO_CHANNEL = new ConditionText(
                ConditionStatus.FALSE,
                "NoChannel",
                "it has no channel in any clique: no pod of it was prepared, or all have ended");
        private static final ConditionText AS_EXPECTED = new ConditionText(ConditionStatus.FALSE, "AsExpected", "");
    }
}
