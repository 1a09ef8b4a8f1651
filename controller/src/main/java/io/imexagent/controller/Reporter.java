package io.imexagent.controller;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.controller.ClusterReport.FabricCounts;
import io.imexagent.controller.ClusterReport.ProofCounts;
import io.imexagent.controller.ClusterReport.ReportedDomainState;
import io.imexagent.controller.ClusterReport.ReportedFabric;
import io.imexagent.controller.ClusterReport.ReportedProof;
import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.DomainPlanner.Problem;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.text.NameList;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.PlacedPod;
import io.imexagent.kubernetes.Outage;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.ProvenPairs;
import io.imexagent.kubernetes.clique.ProvenPairs.CellState;
import io.imexagent.kubernetes.clique.ProvenPairs.ProvenNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reports with the same planner as the controller. Without {@code nodes} it is unknown which Nodes are ready. {@code
 * unread} counts, by resource, the objects of the cluster that could not be read and are missing in the state.
 */
public record Reporter(
        ControllerPolicy policy,
        ClusterState state,
        Optional<NodeListing> nodes,
        Map<ReconcileKey, String> failures,
        Map<String, UnreadObjects> unread) {

    /** The most nodes of one clique whose conflicts of channels are in a report. */
    private static final int MOST_CONFLICTING = 16;

    private static final int MOST_NAMES = 4;

    private static final String COMPUTE_DOMAINS = "computedomains.resource.nvidia.com";

    private static final String NOT_YET =
            "the controller has not brought it up to date: its Events may say why; check that imex-controller runs";

    /** Whether any pods may have to be kept in one clique. */
    public boolean places() {
        return state.places(policy.placement());
    }

    /** Reports the placement of these pods, with the labels of Nodes. */
    public PlacementReport placement(List<PlacedPod> pods, Map<String, String> labels) {
        return new PlacementReport(
                pods, labels, nodes.map(NodeListing::ready).orElse(Map.of()), state.unplaced(policy.placement()));
    }

    /** Reports the placement without pods and labels of Nodes, if neither may be read. */
    public PlacementReport unknownPlacement() {
        return new PlacementReport(List.of(), Map.of(), Map.of(), state.unplaced(policy.placement()));
    }

    public ClusterReport report() {
        var planner = new DomainPlanner(policy);
        List<ClusterReport.ReportedDomain> domains = Stream.concat(
                        state.domains.all().stream()
                                .flatMap(domain -> state.view(domain.ref().uid(), policy.mode()).stream())
                                .map(view -> domain(view.domain(), planner.plan(view))),
                        state.leftDomains().stream().map(this::left))
                .sorted(Comparator.comparing(ClusterReport.ReportedDomain::namespace)
                        .thenComparing(ClusterReport.ReportedDomain::name)
                        .thenComparing(ClusterReport.ReportedDomain::state)
                        .thenComparing(ClusterReport.ReportedDomain::uid))
                .toList();
        return new ClusterReport(domains, cliques());
    }

    private ClusterReport.ReportedDomain domain(DomainObject domain, DomainPlanner.Plan plan) {
        return new ClusterReport.ReportedDomain(
                domain.ref().namespace(),
                domain.ref().name(),
                domain.ref().uid(),
                domain.deleting()
                        ? ReportedDomainState.DELETING
                        : domain.ready() ? ReportedDomainState.READY : ReportedDomainState.NOT_READY,
                domain.templateName(),
                places(domain.uid()),
                Stream.concat(
                                plan.problems().stream().map(Problem::message),
                                plan.step().stream().map(step -> NOT_YET))
                        .toList());
    }

    /** Reports a ComputeDomain that is deleted, or cannot be read, while a table or a node names it. */
    private ClusterReport.ReportedDomain left(DomainName domain) {
        return new ClusterReport.ReportedDomain(
                domain.namespace(),
                domain.name(),
                domain.uid().value(),
                ReportedDomainState.DELETED,
                "",
                places(domain.uid()),
                List.of(
                        unread.containsKey(COMPUTE_DOMAINS)
                                ? "it is gone, or cannot be read; its channels are free once it is gone and no node holds"
                                        + " them"
                                : "it is gone, and its channels are free once no node holds them: end its pods there"));
    }

    private List<ClusterReport.ChannelPlacement> places(ComputeDomainUid domain) {
        return state.cliquesOf(domain.value()).stream()
                .map(clique -> place(clique, domain))
                .toList();
    }

    private ClusterReport.ChannelPlacement place(CliqueId clique, ComputeDomainUid domain) {
        List<Stored<NvlinkNode>> nodes = state.nodesOf(clique);
        return new ClusterReport.ChannelPlacement(
                clique,
                state.table(clique)
                        .flatMap(table -> table.content().table().of(domain))
                        .map(ChannelEntry::id)
                        .or(() -> shares(nodes, clique, domain)),
                nodes(holding(nodes, domain)));
    }

    /** Channel 0 if a node reports that the ComputeDomain uses it; otherwise empty. */
    private static Optional<ChannelId> shares(
            List<Stored<NvlinkNode>> nodes, CliqueId clique, ComputeDomainUid domain) {
        return nodes.stream()
                .flatMap(node -> node.content().sharing(clique).stream())
                .filter(sharing -> sharing.uid().equals(domain))
                .findFirst()
                .map(any -> new ChannelId(0));
    }

    private static List<Stored<NvlinkNode>> holding(List<Stored<NvlinkNode>> nodes, ComputeDomainUid domain) {
        return nodes.stream()
                .filter(node -> node.content().holds().containsKey(domain))
                .toList();
    }

    private static List<String> holders(List<Stored<NvlinkNode>> nodes, ComputeDomainUid domain) {
        return holding(nodes, domain).stream().map(Stored::name).sorted().toList();
    }

    public List<CliqueReport> cliques() {
        return state.cliques().stream().map(this::clique).toList();
    }

    /** The fabric for people at this time. */
    public ReportedFabric fabric(Instant now) {
        return new ReportedFabric(
                policy.isolation(),
                cliques(),
                nodes(state.nodes.all().stream()
                        .filter(node -> node.content().cliques().isEmpty())
                        .toList()),
                proofs(now),
                nodes.map(NodeListing::racks).orElse(Map.of()));
    }

    private Map<CliqueId, ReportedProof> proofs(Instant now) {
        Map<CliqueId, ReportedProof> proofs = new TreeMap<>();
        for (CliqueId clique : state.cliques()) {
            state.test(clique)
                    .ifPresent(test -> proofs.put(
                            clique, new ReportedProof(test, ProvenPairs.of(clique, provenNodes(clique), test, now))));
        }
        return proofs;
    }

    /** The nodes of a clique, without those that report another clique, to which they have moved. */
    private List<ProvenNode> provenNodes(CliqueId clique) {
        return state.nodesOf(clique).stream()
                .map(node -> new ProvenNode(node.name(), node.content().status().clique(), FabricIdentity.of(node)))
                .filter(node -> node.clique().filter(at -> !at.equals(clique)).isEmpty())
                .sorted(Comparator.comparing(ProvenNode::name))
                .toList();
    }

    /** The number of pairs of all cliques by their result; empty if the recorded results are unknown. */
    Optional<ProofCounts> proofCounts(Instant now) {
        if (!state.tests.listed()) {
            return Optional.empty();
        }
        Map<String, Long> pairs = new HashMap<>();
        CellState.TEXTS.forEach(text -> pairs.put(text, 0L));
        long contradicted = 0;
        for (ReportedProof proof : proofs(now).values()) {
            proof.pairs().counts().forEach((text, count) -> pairs.merge(text, count, Long::sum));
            contradicted += proof.pairs().contradicted();
        }
        return Optional.of(new ProofCounts(pairs, contradicted));
    }

    FabricCounts counts() {
        return new FabricCounts(
                policy.isolation(),
                cliques(),
                state.cliques().stream()
                        .mapToInt(clique -> state.conflicts(clique).size())
                        .sum(),
                differing(state.nodes.all(), NodeMode.ObservingMode.class).size(),
                differing(state.nodes.all(), NodeMode.ChannelMode.class).size(),
                nodes.isPresent());
    }

    /** The names of the nodes whose mode is of this kind and differs from the controller's. */
    private List<String> differing(Collection<Stored<NvlinkNode>> objects, Class<? extends NodeMode> kind) {
        return objects.stream()
                .filter(node -> ClusterState.differs(node, policy.mode()))
                .filter(node ->
                        node.content().status().mode().filter(kind::isInstance).isPresent())
                .map(Stored::name)
                .sorted()
                .toList();
    }

    private void differing(List<Stored<NvlinkNode>> objects, List<String> wrong) {
        List<String> observing = differing(objects, NodeMode.ObservingMode.class);
        if (!observing.isEmpty()) {
            wrong.add(
                    "no pod gets a channel, since HostManagedIMEX is off, on " + NameList.some(observing, MOST_NAMES));
        }
        List<String> serving = differing(objects, NodeMode.ChannelMode.class);
        if (!serving.isEmpty()) {
            wrong.add("pods stay Pending, since the isolation is not the controller's ("
                    + policy.isolation().text() + "), on " + NameList.some(serving, MOST_NAMES));
        }
    }

    /** The conflicts of one node: the only one, or their number and the first ones. */
    private static String conflicts(List<ChannelConflict> ofNode) {
        String texts = ofNode.stream()
                .limit(MOST_NAMES)
                .map(conflict -> conflict.problem().message())
                .collect(Collectors.joining("; "));
        return ofNode.size() == 1
                ? texts
                : ofNode.getFirst().use().user().by() + " has " + ofNode.size() + " conflicts of channels: " + texts
                        + (ofNode.size() > MOST_NAMES ? "; and " + (ofNode.size() - MOST_NAMES) + " more" : "");
    }

    private CliqueReport clique(CliqueId clique) {
        Optional<Stored<NvlinkClique>> table = state.table(clique);
        List<Stored<NvlinkNode>> holders = state.nodesOf(clique);
        List<String> wrong = new ArrayList<>();
        List<ChannelConflict> conflicts = state.conflicts(clique);
        SortedMap<String, List<ChannelConflict>> byNode = new TreeMap<>();
        conflicts.forEach(
                conflict -> byNode.computeIfAbsent(conflict.use().user().by(), none -> new ArrayList<>())
                        .add(conflict));
        byNode.values().stream()
                .limit(MOST_CONFLICTING)
                .map(Reporter::conflicts)
                .forEach(wrong::add);
        if (byNode.size() > MOST_CONFLICTING) {
            wrong.add("and conflicts of channels on " + (byNode.size() - MOST_CONFLICTING) + " more nodes");
        }
        differing(holders, wrong);
        Optional.ofNullable(failures.get(new ReconcileKey.CliqueKey(clique))).ifPresent(wrong::add);
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
                table.isPresent() ? limiting(holders) : List.of(),
                table.map(present -> present.content().table()).orElse(ChannelTable.EMPTY).entries().values().stream()
                        .map(entry -> new CliqueReport.ReportedChannel(
                                entry, holders(holders, entry.domain().uid())))
                        .toList(),
                wrong);
    }

    /** The nodes that have fewer channels than others; none if they have at least the configured number. */
    private List<String> limiting(List<Stored<NvlinkNode>> nodes) {
        List<String> limiting = CliquePlan.limiting(nodes);
        return limiting.isEmpty() || CliquePlan.least(nodes) >= policy.channels() ? List.of() : limiting;
    }

    private List<CliqueReport.ReportedNode> nodes(List<Stored<NvlinkNode>> objects) {
        return objects.stream()
                .map(node -> new CliqueReport.ReportedNode(
                        node.name(),
                        state(node.name()),
                        node.outage().map(Outage::since),
                        node.content().status(),
                        List.copyOf(node.content().holds().values())))
                .sorted(Comparator.comparing(CliqueReport.ReportedNode::name))
                .toList();
    }

    private OptionalInt channels(Optional<Stored<NvlinkClique>> table) {
        int limit = table.map(present -> present.content().limit()).orElse(0);
        return limit == 0
                ? OptionalInt.empty()
                : OptionalInt.of(Math.min(Math.min(limit, policy.channels()) - 1, ChannelTable.LARGEST));
    }

    private ReportedNodeState state(String name) {
        if (nodes.isEmpty()) {
            return ReportedNodeState.UNKNOWN;
        }
        return Optional.ofNullable(nodes.get().ready().get(name))
                .map(ready -> ready ? ReportedNodeState.READY : ReportedNodeState.NOT_READY)
                .orElse(state.newerThan(nodes.get(), name) ? ReportedNodeState.UNKNOWN : ReportedNodeState.MISSING);
    }
}
