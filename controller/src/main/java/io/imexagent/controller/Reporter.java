package io.imexagent.controller;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.NodeState;
import io.imexagent.controller.ClusterReport.Fabric;
import io.imexagent.controller.ClusterReport.FabricCounts;
import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.DomainPlanner.Problem;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** Reports by the plans that the controller works by; without {@code nodes} it is unknown which Nodes are ready. */
public record Reporter(
        ControllerPolicy policy, ClusterState state, Optional<Map<String, Boolean>> nodes, Map<Work, String> failures) {

    /** Of one clique; a node's object can be in conflict with as many as it likes. */
    private static final int MOST_CONFLICTS = 16;

    private static final String NOT_YET =
            "the controller has not brought it up to date: its Events may say why; check that imex-controller runs";

    public ClusterReport report() {
        var planner = new DomainPlanner(policy);
        List<ClusterReport.Domain> domains = state.domains.all().stream()
                .flatMap(domain -> state.view(domain.ref().uid()).stream())
                .map(view -> domain(view.domain(), planner.plan(view)))
                .sorted(Comparator.comparing(ClusterReport.Domain::namespace).thenComparing(ClusterReport.Domain::name))
                .toList();
        return new ClusterReport(domains, cliques());
    }

    private ClusterReport.Domain domain(DomainObject domain, DomainPlanner.Plan plan) {
        List<ClusterReport.Place> places = state.cliquesOf(domain.ref().uid()).stream()
                .map(clique -> place(clique, domain.uid()))
                .toList();
        return new ClusterReport.Domain(
                domain.ref().namespace(),
                domain.ref().name(),
                domain.ref().uid(),
                domain.ready(),
                domain.deleting(),
                domain.templateName(),
                places,
                Stream.concat(
                                plan.problems().stream().map(Problem::message),
                                plan.step().stream().map(step -> NOT_YET))
                        .toList());
    }

    private ClusterReport.Place place(CliqueId clique, ComputeDomainUid domain) {
        return new ClusterReport.Place(
                clique,
                state.table(clique)
                        .flatMap(table -> table.content().table().of(domain))
                        .map(ChannelEntry::id),
                holders(state.nodesOf(clique), domain));
    }

    private static List<String> holders(List<Stored<NvlinkNode>> nodes, ComputeDomainUid domain) {
        return nodes.stream()
                .filter(node -> node.content().holds().containsKey(domain))
                .map(Stored::name)
                .sorted()
                .toList();
    }

    public List<CliqueReport> cliques() {
        return state.cliques().stream().map(this::clique).toList();
    }

    public Fabric fabric() {
        return new Fabric(
                policy.isolation(),
                cliques(),
                nodes(state.nodes.all().stream()
                        .filter(node -> node.content().cliques().isEmpty())
                        .toList()));
    }

    FabricCounts counts() {
        return new FabricCounts(
                cliques(),
                state.cliques().stream()
                        .mapToInt(clique -> state.conflicts(clique).size())
                        .sum(),
                nodes.isPresent());
    }

    private CliqueReport clique(CliqueId clique) {
        Optional<Stored<NvlinkClique>> table = state.table(clique);
        List<Stored<NvlinkNode>> holders = state.nodesOf(clique);
        List<String> wrong = new ArrayList<>();
        List<Conflict> conflicts = state.conflicts(clique);
        conflicts.stream()
                .limit(MOST_CONFLICTS)
                .forEach(conflict -> wrong.add(conflict.problem().message()));
        if (conflicts.size() > MOST_CONFLICTS) {
            wrong.add("and " + (conflicts.size() - MOST_CONFLICTS) + " more conflicts of channels");
        }
        Optional.ofNullable(failures.get(new Work.Clique(clique))).ifPresent(wrong::add);
        if (table.isEmpty() && policy.isolating()) {
            wrong.add("it has no table of its channels yet, so nodes wait; check that imex-controller runs");
        }
        if (table.map(Stored::deleting).orElse(false)) {
            wrong.add("its table is being deleted, which ends once no node holds anything in it");
        }
        return new CliqueReport(
                clique,
                nodes(holders),
                channels(table),
                table.map(present -> present.content().table()).orElse(ChannelTable.EMPTY).entries().values().stream()
                        .map(entry -> new CliqueReport.Entry(
                                entry, holders(holders, entry.domain().uid())))
                        .toList(),
                wrong);
    }

    private List<CliqueReport.Node> nodes(List<Stored<NvlinkNode>> objects) {
        return objects.stream()
                .map(node -> new CliqueReport.Node(
                        node.name(),
                        state(node.name()),
                        node.content().sight(),
                        List.copyOf(node.content().holds().values())))
                .sorted(Comparator.comparing(CliqueReport.Node::name))
                .toList();
    }

    private OptionalInt channels(Optional<Stored<NvlinkClique>> table) {
        int limit = table.map(present -> present.content().limit()).orElse(0);
        return limit == 0
                ? OptionalInt.empty()
                : OptionalInt.of(Math.min(Math.min(limit, policy.channels()) - 1, ChannelTable.LARGEST));
    }

    private NodeState state(String name) {
        if (nodes.isEmpty()) {
            return NodeState.UNKNOWN;
        }
        return Optional.ofNullable(nodes.get().get(name))
                .map(ready -> ready ? NodeState.READY : NodeState.NOT_READY)
                .orElse(NodeState.MISSING);
    }
}
