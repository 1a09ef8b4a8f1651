package io.imexagent.controller.racks;

import static io.imexagent.controller.racks.FaultTexts.count;
import static io.imexagent.controller.racks.FaultTexts.names;

import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import io.imexagent.controller.racks.PairGroups.BadPair;
import io.imexagent.controller.racks.PairGroups.PairGroup;
import io.imexagent.controller.racks.ProofMatrix.ImportFailure;
import io.imexagent.controller.racks.RackFault.RackFaultKind;
import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.NodesFile;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Assigns lost and degraded connections, failed imports and verdicts about other nodes to the faults that explain them,
 * and adds faults for the rest.
 */
final class ConnectionRules {

    /** The verdicts of daemons that reach others and refuse them. */
    private static final Set<String> REFUSALS = Set.of("version-mismatch", "node-map-mismatch", "authentication-error");

    private final Map<BadPair, FaultLine> explained = new HashMap<>();

    private final FoundFaults found;
    private final List<ReportedNode> trays;
    private final LinkMatrix links;

    ConnectionRules(FoundFaults found, LinkMatrix links) {
        this.found = found;
        this.trays = found.trays;
        this.links = links;
    }

    void connections() {
        Set<BadPair> bad = new HashSet<>();
        Set<BadPair> open = new HashSet<>();
        for (int one = 0; one < links.rows().size(); one++) {
            for (int other = one + 1; other < links.rows().size(); other++) {
                var pair = new BadPair(one, other);
                if (isBad(links.between(one, other))) {
                    List<FaultLine> faults = explaining(pair);
                    faults.forEach(line -> explain(pair, line, true));
                    bad.add(pair);
                    if (faults.isEmpty()) {
                        open.add(pair);
                    }
                }
            }
        }
        for (PairGroup group : PairGroups.of(found.members(), bad, open, this::reported, this::claimant)) {
            FaultLine line = new ConnectionTexts(trays, links, group).line();
            found.lines.add(line);
            group.pairs().forEach(pair -> explain(pair, line, false));
        }
    }

    private List<FaultLine> explaining(BadPair pair) {
        List<FaultLine> faults = Stream.of(pair.one(), pair.other())
                .flatMap(node -> Stream.ofNullable(found.own.get(node)))
                .distinct()
                .toList();
        if (!faults.isEmpty()) {
            return faults;
        }
        ReportedNode one = trays.get(pair.one());
        ReportedNode other = trays.get(pair.other());
        boolean apart = found.filesApart.get(pair.one()) || found.filesApart.get(pair.other());
        if (apart && differ(one.status().nodesFile(), other.status().nodesFile(), NodesFile::digest)) {
            return found.files.stream().toList();
        }
        return links.between(pair.one(), pair.other()) == LinkMatrix.letter(LinkState.DEGRADED)
                        && differ(one.status().driver(), other.status().driver(), driver -> driver)
                ? found.drivers.stream().toList()
                : List.of();
    }

    /** Whether both ends report something, and not the same. */
    private static <T> boolean differ(Optional<T> one, Optional<T> other, Function<T, String> text) {
        return one.isPresent() && other.isPresent() && !one.map(text).equals(other.map(text));
    }

    private void explain(BadPair pair, FaultLine line, boolean counted) {
        explained.putIfAbsent(pair, line);
        if (counted) {
            connections(line, links.between(pair.one(), pair.other()), Severity.CRITICAL);
        }
        report(line, pair.one(), pair.other());
        report(line, pair.other(), pair.one());
    }

    private void report(FaultLine line, int node, int column) {
        char letter = links.rows().get(node).charAt(column);
        if (isBad(letter)) {
            line.reportedBy(node, column, letter == LinkMatrix.letter(LinkState.DEGRADED));
        }
    }

    private static void connections(FaultLine line, char letter, Severity lost) {
        if (letter == LinkMatrix.letter(LinkState.LOST)) {
            line.add(1, "connection lost", "connections lost", lost);
        } else {
            line.add(1, "connection degraded", "connections degraded", Severity.WARNING);
        }
    }

    static boolean isBad(char letter) {
        return letter == LinkMatrix.letter(LinkState.LOST) || letter == LinkMatrix.letter(LinkState.DEGRADED);
    }

    /** The node that alone calls a connection bad, while the other calls it connected. */
    private OptionalInt claimant(BadPair pair) {
        char connected = LinkMatrix.letter(LinkState.CONNECTED);
        return links.rows().get(pair.one()).charAt(pair.other()) == connected
                ? OptionalInt.of(pair.other())
                : links.rows().get(pair.other()).charAt(pair.one()) == connected
                        ? OptionalInt.of(pair.one())
                        : OptionalInt.empty();
    }

    /** The number of lost or degraded connections that a node itself reports. */
    private int reported(int node) {
        return (int) links.rows()
                .get(node)
                .chars()
                .filter(letter -> isBad((char) letter))
                .count();
    }

    /** Adds one line for the addresses that several nodes claim. */
    void claims(RackAddresses addresses) {
        SortedMap<String, Set<Integer>> claimed = addresses.claimed();
        if (!claimed.isEmpty()) {
            List<String> nodes = names(
                    trays,
                    claimed.values().stream()
                            .flatMap(Set::stream)
                            .distinct()
                            .sorted()
                            .toList());
            found.line(
                    RackFaultKind.ADDRESSES,
                    Severity.WARNING,
                    nodes,
                    (nodes.size() == 2 ? String.join(" and ", nodes) : FaultTexts.some(nodes)) + " claim "
                            + (claimed.size() == 1 ? "one address: " : "the same addresses: ")
                            + FaultTexts.some(List.copyOf(claimed.keySet()))
                            + "; connections to it count for each of them",
                    FaultTexts.health(nodes) + ", and see which host has the address");
        }
    }

    /**
     * Reports addresses of no node of the rack: one line for each node without a clique, one for those in the domains
     * of several nodes, and one for each node that alone has some.
     */
    void addresses(RackAddresses unplaced) {
        SortedMap<Integer, List<Integer>> fallen = new TreeMap<>();
        Map<Optional<Integer>, List<Integer>> columns = new HashMap<>();
        for (int column = trays.size(); column < trays.size() + links.others().size(); column++) {
            List<Integer> reporters = links.reporters(column);
            Optional<Integer> alone =
                    reporters.stream().filter(any -> reporters.size() == 1).findFirst();
            // One node alone must not make lines about nodes that have no fault.
            Optional<Integer> node = unplaced.named(address(column)).stream()
                    .filter(one -> reporters.size() > 1
                            || !NodeRules.criticalFindings(unplaced.trays().get(one))
                                    .isEmpty())
                    .findFirst();
            node.map(one -> fallen.computeIfAbsent(one, none -> new ArrayList<>()))
                    .orElseGet(() -> columns.computeIfAbsent(alone, none -> new ArrayList<>()))
                    .add(column);
        }
        fallen.forEach((node, addresses) -> {
            String name = unplaced.trays().get(node).name();
            FaultLine line = found.line(
                    RackFaultKind.NO_CLIQUE,
                    Severity.WARNING,
                    List.of(name),
                    name + " is in the IMEX domain and has no clique",
                    "run 'imex-agent probe' on " + name);
            addConnections(line, addresses, !columns.containsKey(Optional.empty()));
        });
        columns.forEach((alone, addresses) -> addConnections(holding(alone, addresses), addresses, alone.isEmpty()));
    }

    private String address(int column) {
        return links.others().get(column - trays.size());
    }

    private void addConnections(FaultLine line, List<Integer> columns, boolean inFiles) {
        if (inFiles && found.strangersInFiles) {
            line.add(1, "line of nodes_config.cfg", "lines of nodes_config.cfg", Severity.WARNING);
        }
        for (int column : columns) {
            for (int node : links.reporters(column)) {
                char letter = links.rows().get(node).charAt(column);
                if (isBad(letter)) {
                    connections(line, letter, Severity.WARNING);
                    report(line, node, column);
                }
            }
        }
    }

    /** The line that counts these addresses of no node: the line of the node's file, otherwise a new line. */
    private FaultLine holding(Optional<Integer> alone, List<Integer> columns) {
        Optional<FaultLine> holder = found.files.filter(
                line -> alone.filter(node -> line.names(trays.get(node).name())).isPresent());
        holder.ifPresent(
                line -> line.add(columns.size(), "address of no node", "addresses of no node", Severity.WARNING));
        return holder.orElseGet(() -> found.line(
                RackFaultKind.ADDRESSES,
                Severity.WARNING,
                names(trays, alone.stream().toList()),
                alone.map(node -> trays.get(node).name() + " alone").orElse("the IMEX domain") + " has "
                        + count(columns.size(), "address", "addresses")
                        + " of no node that is shown here: "
                        + FaultTexts.some(columns.stream().map(this::address).toList()),
                "see that imex-agent runs on these hosts, or take them out of nodes_config.cfg on all nodes"));
    }

    void imports(List<ImportFailure> failures) {
        Map<BadPair, List<ImportFailure>> left =
                new TreeMap<>(Comparator.comparingInt(BadPair::one).thenComparingInt(BadPair::other));
        for (ImportFailure failure : failures) {
            BadPair pair = BadPair.of(failure.importer(), failure.exporter());
            Set<FaultLine> faults = Stream.concat(
                            Stream.of(pair.one(), pair.other()).flatMap(node -> Stream.ofNullable(found.own.get(node))),
                            Stream.ofNullable(explained.get(pair)))
                    .collect(Collectors.toSet());
            faults.forEach(line -> line.add(1, "import failed", "imports failed", Severity.CRITICAL));
            if (faults.isEmpty()) {
                left.computeIfAbsent(pair, none -> new ArrayList<>()).add(failure);
            }
        }
        for (PairGroup group : PairGroups.of(
                found.members(),
                left.keySet(),
                left.keySet(),
                node -> (int) failures.stream()
                        .filter(failure -> failure.importer() == node)
                        .count(),
                pair -> OptionalInt.empty())) {
            List<ImportFailure> failed = left.entrySet().stream()
                    .filter(entry -> group.pairs().contains(entry.getKey()))
                    .flatMap(entry -> entry.getValue().stream())
                    .toList();
            List<String> nodes = names(trays, group.nodes());
            found.line(
                    RackFaultKind.IMPORTS,
                    Severity.CRITICAL,
                    nodes,
                    count(failed.size(), "import fails", "imports fail") + " in the fabric test: "
                            + FaultTexts.some(
                                    failed.stream().map(ImportFailure::text).toList())
                            + (failed.stream().anyMatch(ImportFailure::contradicts)
                                    ? "; nvidia-imex calls the nodes connected"
                                    : ""),
                    "restart nvidia-imex on " + FaultTexts.some(nodes) + " once drained, and run the test again");
        }
    }

    /** Assigns verdicts about other nodes, and reports nodes without connection data. */
    void verdicts() {
        List<FaultLine> causes = List.copyOf(found.lines);
        var covered = new BitSet();
        SortedMap<String, List<Integer>> open = new TreeMap<>();
        for (int node : found.members()) {
            ReportedNode tray = trays.get(node);
            String verdict = FoundFaults.verdict(tray);
            if (FoundFaults.severity(verdict) == Severity.OK) {
                continue;
            }
            // Lost connections explain no errors between daemons that reach each other.
            boolean degraded = REFUSALS.contains(verdict);
            List<FaultLine> faults = causes.stream()
                    .filter(line -> line.isReportedBy(node, degraded)
                            || (verdict.equals("version-mismatch")
                                    && found.drivers.filter(line::equals).isPresent()
                                    && line.names(tray.name())))
                    .toList();
            faults = faults.isEmpty()
                    ? causes.stream().filter(line -> line.isConfirmed(degraded)).toList()
                    : faults;
            for (FaultLine line : faults) {
                covered.set(node);
                line.add(1, "node " + verdict, "nodes " + verdict, FoundFaults.severity(verdict));
                if (line.names(tray.name())) {
                    line.since(tray.status().imexSince());
                }
            }
            if (faults.isEmpty()) {
                open.computeIfAbsent(verdict, none -> new ArrayList<>()).add(node);
            }
        }
        open.forEach((verdict, nodes) -> {
            covered.or(nodes.stream().collect(BitSet::new, BitSet::set, BitSet::or));
            List<String> names = names(trays, nodes);
            FaultLine line = found.line(
                    RackFaultKind.DOMAIN,
                    FoundFaults.severity(verdict),
                    names,
                    "nvidia-imex is \"" + verdict + "\" on " + FaultTexts.nodes(names)
                            + ", and nothing that is shown explains it",
                    FaultTexts.health(names));
            nodes.forEach(node -> line.since(trays.get(node).status().imexSince()));
        });
        List<Integer> silent = found.members().stream()
                .filter(node -> !links.rows().isEmpty()
                        && trays.size() > 1
                        && links.isSilent(node)
                        && !covered.get(node)
                        && causes.stream()
                                .noneMatch(line -> line.names(trays.get(node).name())))
                .toList();
        found.perNode(
                found.own,
                silent,
                some -> found.line(
                        RackFaultKind.NO_CONNECTIONS,
                        Severity.WARNING,
                        some,
                        "no connection data from " + FaultTexts.nodes(some),
                        FaultTexts.health(some)));
    }
}
