package io.imexagent.controller.racks;

import static io.imexagent.controller.Fabric.BLUE;
import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.hold;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.controller.ClusterReport.ReportedFabric;
import io.imexagent.controller.ClusterReport.ReportedProof;
import io.imexagent.controller.racks.RackReport.Rack;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodesFile;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.clique.AgentReport;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.FabricLevel;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.ProvenPairs;
import io.imexagent.kubernetes.clique.ProvenPairs.ProvenNode;
import io.imexagent.kubernetes.clique.RecordedRun;
import io.imexagent.kubernetes.clique.RecordedRun.RecordedNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A rack of 18 nodes as their agents would report it, with the faults that are planted in it. */
final class FaultyRack {

    static final int SIZE = 18;
    static final Instant SINCE = Instant.parse("2026-11-28T10:00:00Z");
    private static final Instant NOON = Instant.parse("2026-11-28T12:00:00Z");

    /** What each node's own nvidia-imex says of each other. */
    private final LinkState[][] words = new LinkState[SIZE][SIZE];

    private final ReportedNodeState[] states = new ReportedNodeState[SIZE];
    private final String[] verdicts = new String[SIZE];
    private final String[] drivers = new String[SIZE];
    private final int[] gpus = new int[SIZE];
    private final int[] listedGpus = new int[SIZE];
    private final boolean[] agentless = new boolean[SIZE];
    private final boolean[] absent = new boolean[SIZE];
    private final boolean[] nameless = new boolean[SIZE];
    private final boolean[] fileless = new boolean[SIZE];
    private final boolean[] unplaced = new boolean[SIZE];
    private final String[] claimed = new String[SIZE];
    private final String[] findings = new String[SIZE];
    private final boolean[] silent = new boolean[SIZE];
    private final boolean[] changed = new boolean[SIZE];
    private final List<List<String>> files = new ArrayList<>();
    private final List<List<Hold>> holds = new ArrayList<>();
    private final List<String> strangers = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private final String[][] imports = new String[SIZE][SIZE];
    private OptionalInt channels = OptionalInt.of(127);

    FaultyRack() {
        for (int node = 0; node < SIZE; node++) {
            for (int other = 0; other < SIZE; other++) {
                words[node][other] = LinkState.CONNECTED;
                imports[node][other] = node == other ? "-" : "+";
            }
            claimed[node] = address(node);
            findings[node] = "";
            states[node] = ReportedNodeState.READY;
            verdicts[node] = "up";
            drivers[node] = "580.95.05";
            gpus[node] = 4;
            listedGpus[node] = 4;
            files.add(new ArrayList<>(
                    IntStream.range(0, SIZE).mapToObj(FaultyRack::address).toList()));
            holds.add(List.of());
        }
    }

    static String name(int node) {
        return "tray-%02d".formatted(node + 1);
    }

    static String address(int node) {
        return "10.0.0." + (node + 1);
    }

    /** All others that answer find the domain degraded. */
    FaultyRack degraded(String verdict) {
        for (int node = 0; node < SIZE; node++) {
            if (verdicts[node].equals("up")) {
                verdicts[node] = verdict;
            }
        }
        return this;
    }

    FaultyRack apart(int one, int other, LinkState state) {
        words[one][other] = state;
        words[other][one] = state;
        return this;
    }

    private FaultyRack lostByOthers(int node) {
        for (int other = 0; other < SIZE; other++) {
            words[other][node] = LinkState.LOST;
        }
        return this;
    }

    FaultyRack nodeDown(int node, ReportedNodeState state) {
        states[node] = state;
        holds.set(node, List.of(hold(BLUE, 4)));
        return lostByOthers(node).degraded("degraded");
    }

    FaultyRack daemonDown(int node, String verdict) {
        verdicts[node] = verdict;
        silent[node] = true;
        return lostByOthers(node).degraded("degraded");
    }

    /** Its agent started while nvidia-imex was down, so that the controller cannot tell which address is its own. */
    FaultyRack nameless(int node) {
        nameless[node] = true;
        return this;
    }

    /** Its agent reports no file of nodes either. */
    FaultyRack fileless(int node) {
        fileless[node] = true;
        return nameless(node);
    }

    FaultyRack finding(int node, String code) {
        findings[node] = "critical:" + code;
        return this;
    }

    FaultyRack claims(int node, String address) {
        claimed[node] = address;
        return this;
    }

    /** Its GPUs are out of the fabric, so that it has no clique any more. */
    FaultyRack outOfFabric(int node) {
        unplaced[node] = true;
        return daemonDown(node, "failed").nameless(node).finding(node, "fabric-failed");
    }

    FaultyRack stranger(int node, String address) {
        strangers.add(node + " " + address);
        return this;
    }

    FaultyRack linkLost(int one, int other) {
        return apart(one, other, LinkState.LOST).degraded("degraded");
    }

    FaultyRack linkDegraded(int one, int other) {
        return apart(one, other, LinkState.DEGRADED).degraded("authentication-error");
    }

    FaultyRack cutOff(int node) {
        IntStream.range(0, SIZE).filter(other -> other != node).forEach(other -> apart(node, other, LinkState.LOST));
        verdicts[node] = "domain-down";
        return degraded("degraded");
    }

    FaultyRack partition(List<Integer> part) {
        for (int node : part) {
            IntStream.range(0, SIZE)
                    .filter(other -> !part.contains(other))
                    .forEach(other -> apart(node, other, LinkState.LOST));
        }
        return degraded("degraded");
    }

    /** A node that calls its connections lost, which the others call connected. */
    FaultyRack liar(int node, int most) {
        IntStream.range(0, SIZE)
                .filter(other -> other != node)
                .limit(most)
                .forEach(other -> words[node][other] = LinkState.LOST);
        verdicts[node] = "domain-down";
        return this;
    }

    /** A node that names many addresses that are nowhere. */
    FaultyRack inventor(int node) {
        IntStream.range(0, 100).forEach(at -> strangers.add(node + " 10.9.0." + at));
        verdicts[node] = "degraded";
        return this;
    }

    FaultyRack doubter(int node) {
        verdicts[node] = "degraded";
        return this;
    }

    FaultyRack noAgent(int node) {
        absent[node] = true;
        return this;
    }

    FaultyRack noReport(int node) {
        verdicts[node] = "";
        silent[node] = true;
        return this;
    }

    FaultyRack noConnections(int node) {
        silent[node] = true;
        return this;
    }

    FaultyRack gpuLost(int node) {
        gpus[node] = 3;
        return this;
    }

    /** Its file lacks another node, so that the daemons do not agree on their numbers. */
    FaultyRack anotherFile(int node) {
        files.get(node).remove((node + 1) % SIZE);
        IntStream.range(0, SIZE)
                .filter(other -> other != node)
                .forEach(other -> apart(node, other, LinkState.DEGRADED));
        return degraded("node-map-mismatch");
    }

    FaultyRack sameFile(int node, int other) {
        files.set(node, files.get(other));
        return this;
    }

    FaultyRack gpus(int node, int works, int listed) {
        gpus[node] = works;
        listedGpus[node] = listed;
        return this;
    }

    /** Its agent is older and reports nothing about itself. */
    FaultyRack oldAgent(int node, int works) {
        agentless[node] = true;
        gpus[node] = works;
        return this;
    }

    FaultyRack noDriver(int node) {
        drivers[node] = "";
        return this;
    }

    FaultyRack verdict(int node, String verdict) {
        verdicts[node] = verdict;
        return this;
    }

    FaultyRack noFile(int node) {
        files.get(node).clear();
        return daemonDown(node, "failed");
    }

    FaultyRack changedFile(int node) {
        changed[node] = true;
        return this;
    }

    /** All files name an address that nobody has. */
    FaultyRack strangerInFiles() {
        files.forEach(file -> file.add("10.0.9.9"));
        IntStream.range(0, SIZE).forEach(node -> strangers.add(node + " 10.0.9.9"));
        return degraded("degraded");
    }

    FaultyRack anotherDriver(int node) {
        drivers[node] = "580.82.07";
        IntStream.range(0, SIZE)
                .filter(other -> other != node)
                .forEach(other -> apart(node, other, LinkState.DEGRADED));
        return degraded("version-mismatch");
    }

    FaultyRack conflict(int node) {
        wrong.add(name(node) + " uses channel 3 against the table");
        return this;
    }

    FaultyRack fullTable() {
        channels = OptionalInt.of(0);
        return this;
    }

    FaultyRack importsFail(int importer) {
        IntStream.range(0, SIZE)
                .filter(exporter -> exporter != importer)
                .forEach(exporter -> imports[importer][exporter] = "400!");
        return this;
    }

    FaultyRack importFails(int importer, int exporter) {
        imports[importer][exporter] = "T!";
        return this;
    }

    Rack rack(Optional<Random> shuffled) {
        return report(shuffled).racks().getFirst();
    }

    RackReport report(Optional<Random> shuffled) {
        List<Integer> order = new ArrayList<>(IntStream.range(0, SIZE)
                .filter(node -> !absent[node] && !unplaced[node])
                .boxed()
                .toList());
        shuffled.ifPresent(random -> Collections.shuffle(order, random));
        List<ReportedNode> nodes = order.stream().map(this::node).toList();
        var clique = new CliqueReport(ONE, nodes, channels, List.of(), List.of(), wrong);
        List<RecordedNode> rows = order.stream()
                .map(node -> new RecordedNode(
                        name(node),
                        identity(node),
                        order.stream().map(other -> imports[node][other]).collect(Collectors.joining(" "))))
                .toList();
        var test = new FabricTest(
                List.of(new RecordedRun("run", "alice", FabricLevel.MAP, NOON, NOON.plusSeconds(40), rows)));
        List<ProvenNode> proven = order.stream()
                .map(node -> new ProvenNode(name(node), Optional.of(ONE), identity(node)))
                .toList();
        return RackReport.of(
                new ReportedFabric(
                        Isolation.IMEX_CHANNEL,
                        List.of(clique),
                        IntStream.range(0, SIZE)
                                .filter(node -> unplaced[node])
                                .mapToObj(this::node)
                                .toList(),
                        Map.of(ONE, new ReportedProof(test, ProvenPairs.of(ONE, proven, test, NOON.plusSeconds(60)))),
                        Map.of()),
                Optional.empty());
    }

    private static FabricIdentity identity(int node) {
        return new FabricIdentity(name(node), Optional.empty(), OptionalLong.of(7), Optional.of("580"));
    }

    private ReportedNode node(int node) {
        Map<LinkState, List<String>> links = new EnumMap<>(LinkState.class);
        if (!silent[node]) {
            for (int other = 0; other < SIZE; other++) {
                if (other != node) {
                    links.computeIfAbsent(words[node][other], none -> new ArrayList<>())
                            .add(address(other));
                }
            }
            strangers.stream()
                    .filter(stranger -> stranger.startsWith(node + " "))
                    .forEach(stranger -> links.computeIfAbsent(LinkState.LOST, none -> new ArrayList<>())
                            .add(stranger.substring(stranger.indexOf(' ') + 1)));
        }
        var status = new NodeStatus(
                        Optional.of(ONE).filter(clique -> !unplaced[node]),
                        Optional.of(drivers[node]).filter(driver -> !driver.isEmpty()),
                        gpus[node],
                        Optional.of(verdicts[node]).filter(verdict -> !verdict.isEmpty()),
                        Optional.of(SINCE),
                        Optional.empty(),
                        nameless[node] ? Optional.empty() : Optional.of(NodeLinks.of(claimed[node], links)),
                        Optional.empty(),
                        OptionalLong.empty(),
                        Optional.empty(),
                        Optional.empty())
                .with(Optional.of(NodesFile.of(files.get(node), NodeIdentity.of(List.of(address(node))), changed[node]))
                        .filter(file -> !fileless[node]))
                .reporting(Optional.of(
                                new AgentReport("0.3.0", listedGpus[node], "", findings[node], Optional.empty(), ""))
                        .filter(report -> !agentless[node]));
        return new ReportedNode(name(node), states[node], Optional.of(SINCE), status, holds.get(node));
    }
}
