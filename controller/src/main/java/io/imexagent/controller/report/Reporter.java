package io.imexagent.controller.report;

import io.imexagent.controller.plan.Channels;
import io.imexagent.controller.plan.ControllerPolicy;
import io.imexagent.controller.plan.DomainPlanner;
import io.imexagent.controller.plan.DomainView;
import io.imexagent.controller.plan.LedgerEntry;
import io.imexagent.controller.plan.OrphanPlanner;
import io.imexagent.controller.plan.OrphanPlanner.Remains;
import io.imexagent.controller.plan.Plan;
import io.imexagent.controller.plan.Problem;
import io.imexagent.controller.state.ClusterState;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.control.ClaimUse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Reports on ComputeDomains, by the same plan that the controller works by. */
public final class Reporter {

    private static final String NOT_YET =
            "the controller has not brought it up to date yet; if this stays, see that imex-controller runs";

    private final ControllerPolicy policy;
    private final DomainPlanner planner;
    private final OrphanPlanner orphans = new OrphanPlanner();

    /** A reporter under this policy. */
    public Reporter(ControllerPolicy policy) {
        this.policy = policy;
        this.planner = new DomainPlanner(policy);
    }

    /**
     * All ComputeDomains, and what is left of others.
     *
     * @param published the channels that each node publishes; empty where that is not known
     */
    public ClusterReport report(ClusterState state, Instant now, Optional<Map<String, Set<ChannelId>>> published) {
        List<ClusterReport.Domain> domains = state.domains().stream()
                .flatMap(domain -> state.view(domain.ref().uid()).stream())
                .map(view -> report(view, planner.plan(view, now), published))
                .sorted(Comparator.comparing(ClusterReport.Domain::namespace).thenComparing(ClusterReport.Domain::name))
                .toList();
        Channels channels = state.channels();
        List<ClusterReport.LeftChannel> left = channels.entries().values().stream()
                .flatMap(entry -> entry
                        .owner()
                        .filter(uid -> state.view(uid).isEmpty())
                        .flatMap(uid -> left(entry, channels, state.remains(uid), now))
                        .stream())
                .toList();
        return new ClusterReport(domains, left);
    }

    /** A channel whose ComputeDomain is gone; empty where it is free. */
    private Optional<ClusterReport.LeftChannel> left(
            LedgerEntry entry, Channels channels, Remains remains, Instant now) {
        List<ClaimUse> claims = remains.claims().stream()
                .filter(claim -> entry.isWithin(claim.ref().namespace()))
                .toList();
        Optional<Instant> rests = entry.restsUntil(policy.quarantine());
        List<String> wrong = new ArrayList<>();
        if (entry.holder().isPresent()) {
            Plan plan = orphans.plan(remains.asConfirmed());
            plan.problems().stream().map(Problem::message).forEach(wrong::add);
            if (plan.step().isPresent()) {
                wrong.add(NOT_YET);
            }
        } else if (channels.users().containsKey(entry.channel())) {
            wrong.add(
                    "it was released, and claims of its ComputeDomain, which is gone, have it all the same: end the pods"
                            + " of " + some(claims));
        } else if (!rests.orElse(now).isAfter(now)) {
            return Optional.empty();
        }
        return Optional.of(new ClusterReport.LeftChannel(
                entry.channel(), entry.ownerPath().orElse(remains.uid().value()), rests, claims.size(), wrong));
    }

    private static String some(List<ClaimUse> claims) {
        return claims.stream()
                .map(claim -> claim.ref().path())
                .sorted()
                .limit(3)
                .collect(Collectors.joining(", "));
    }

    private static ClusterReport.Domain report(
            DomainView view, Plan plan, Optional<Map<String, Set<ChannelId>>> published) {
        var domain = view.domain();
        var nodes = new TreeSet<String>();
        view.claims().forEach(claim -> nodes.addAll(claim.nodes()));
        List<String> wrong = new ArrayList<>();
        plan.problems().stream().map(Problem::message).forEach(wrong::add);
        if (plan.step().isPresent()) {
            wrong.add(NOT_YET);
        }
        published.ifPresent(channels -> view.claims().forEach(claim -> missing(claim, channels, wrong)));
        return new ClusterReport.Domain(
                domain.ref().namespace(),
                domain.ref().name(),
                domain.ref().uid(),
                domain.ready(),
                domain.deleting(),
                domain.channel(),
                domain.templateName(),
                view.claims().size(),
                List.copyOf(nodes),
                wrong);
    }

    private static void missing(ClaimUse claim, Map<String, Set<ChannelId>> published, List<String> wrong) {
        for (String node : claim.nodes()) {
            claim.channels().stream()
                    .filter(channel -> !published.getOrDefault(node, Set.of()).contains(channel))
                    .forEach(channel -> wrong.add("node " + node + " does not publish channel " + channel
                            + ", which claim " + claim.ref().path() + " has; see imex-agent check on that node"));
        }
    }
}
