package io.imexagent.controller.report;

import io.imexagent.controller.plan.ControllerPolicy;
import io.imexagent.controller.plan.DomainPlanner;
import io.imexagent.controller.plan.DomainView;
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

/** Reports on ComputeDomains, by the same plan that the controller works by. */
public final class Reporter {

    private final DomainPlanner planner;

    /** A reporter under this policy. */
    public Reporter(ControllerPolicy policy) {
        this.planner = new DomainPlanner(policy);
    }

    /**
     * All ComputeDomains, by namespace and name.
     *
     * @param published the channels that each node publishes; empty where that is not known
     */
    public List<DomainReport> report(ClusterState state, Instant now, Optional<Map<String, Set<ChannelId>>> published) {
        return state.domains().stream()
                .flatMap(domain -> state.view(domain.ref().uid()).stream())
                .map(view -> report(view, planner.plan(view, now), published))
                .sorted(Comparator.comparing(DomainReport::namespace).thenComparing(DomainReport::name))
                .toList();
    }

    private static DomainReport report(DomainView view, Plan plan, Optional<Map<String, Set<ChannelId>>> published) {
        var domain = view.domain();
        var nodes = new TreeSet<String>();
        view.claims().forEach(claim -> nodes.addAll(claim.nodes()));
        List<String> wrong = new ArrayList<>();
        plan.problems().stream().map(Problem::message).forEach(wrong::add);
        if (plan.step().isPresent()) {
            wrong.add("the controller has not brought it up to date yet; if this stays, see that imex-controller runs");
        }
        published.ifPresent(channels -> view.claims().forEach(claim -> missing(claim, channels, wrong)));
        return new DomainReport(
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
