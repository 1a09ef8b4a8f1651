package io.imexagent.controller.racks;

import static io.imexagent.controller.Fabric.BLUE;
import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.RED;
import static io.imexagent.controller.Fabric.TWO;
import static io.imexagent.controller.Fabric.entry;
import static io.imexagent.controller.Fabric.hold;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.controller.ClusterReport;
import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.controller.Fabric;
import io.imexagent.controller.racks.RackReport.Rack;
import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.text.Screen;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NodeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RackReportTest {

    private static final Instant SINCE = Instant.parse("2026-11-21T12:10:00Z");
    private static final String HOSTILE = "</script><img src=x onerror=alert(1)>\u202e\"'&";

    private final List<CliqueReport.ReportedNode> nodes = new ArrayList<>();
    private final List<CliqueReport.ReportedChannel> entries = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private OptionalInt channels = OptionalInt.of(127);

    @Test
    void aNodeStandsInItsOwnCliqueOnly() {
        CliqueReport.ReportedNode moved =
                node("tray-1", ReportedNodeState.READY, sight(TWO, "580", 4, "up", Optional.empty()));
        var left = new CliqueReport(ONE, List.of(moved), OptionalInt.of(127), List.of(), List.of(), List.of());
        var here = new CliqueReport(TWO, List.of(moved), OptionalInt.of(127), List.of(), List.of(), List.of());
        CliqueReport.ReportedNode plain = node("cpu-1", ReportedNodeState.READY, NodeStatus.NONE);

        RackReport report = RackReport.of(
                new ClusterReport.ReportedFabric(
                        Isolation.NONE, List.of(left, here), List.of(plain), Map.of(), Map.of()),
                Optional.empty());

        assertThat(report.racks())
                .extracting(Rack::clique)
                .containsExactly(Optional.of(ONE), Optional.of(TWO), Optional.empty());
        assertThat(report.racks()).extracting(rack -> rack.trays().size()).containsExactly(0, 1, 1);
    }

    @Test
    void theSickRackIsFirstAndRacksOfOneStateGoByName() {
        List<CliqueReport> cliques = List.of(
                cliqueOf(ONE, "row-b", "up"),
                cliqueOf(TWO, "row-a", "up"),
                cliqueOf(new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.9"), "row-d", "failed"),
                cliqueOf(new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.10"), "row-c", "degraded"));

        RackReport report = RackReport.of(
                new ClusterReport.ReportedFabric(
                        Isolation.NONE,
                        cliques,
                        List.of(new CliqueReport.ReportedNode(
                                "cpu-1", ReportedNodeState.MISSING, Optional.empty(), NodeStatus.NONE, List.of())),
                        Map.of(),
                        Map.of()),
                Optional.empty());

        assertThat(report.racks())
                .extracting(Rack::name)
                .containsExactly("row-d", "row-c", "row-a", "row-b", "Nodes without a clique");
    }

    @Test
    void aRackIsFoundByItsCliqueANodeItsNameOrItsLabelAndNoOtherRackHidesIt() {
        CliqueReport one = cliqueOf(ONE, "row-a", "up");
        CliqueReport two = cliqueOf(TWO, "row-b", "up");
        var racks = RackReport.of(
                new ClusterReport.ReportedFabric(
                        Isolation.NONE,
                        List.of(one, two),
                        List.of(),
                        Map.of(),
                        Map.of("row-a-0", "A07", "row-a-1", "A07", "row-b-0", "A07", "row-b-1", "A07")),
                Optional.empty());
        var claimed = RackReport.of(
                new ClusterReport.ReportedFabric(
                        Isolation.NONE,
                        List.of(one, two),
                        List.of(),
                        Map.of(),
                        Map.of("row-b-0", "row-a-0", "row-b-1", "row-a-0")),
                Optional.empty());

        assertThat(cliques(racks.named(ONE.text()))).containsExactly(ONE);
        assertThat(cliques(racks.named("row-b-1"))).containsExactly(TWO);
        assertThat(cliques(racks.named("A07 (" + TWO + ")"))).containsExactly(TWO);
        assertThat(cliques(racks.named("A07"))).containsExactly(ONE, TWO);
        assertThat(cliques(racks.named("A0"))).isEmpty();
        assertThat(cliques(claimed.named("row-a-0"))).containsExactly(ONE);
    }

    private static List<CliqueId> cliques(RackReport report) {
        return report.racks().stream().flatMap(rack -> rack.clique().stream()).toList();
    }

    private static CliqueReport cliqueOf(CliqueId clique, String rack, String imex) {
        return new CliqueReport(
                clique,
                IntStream.range(0, 2)
                        .mapToObj(tray -> node(
                                rack + "-" + tray,
                                ReportedNodeState.READY,
                                sight(
                                        clique,
                                        "580",
                                        4,
                                        imex,
                                        Optional.of(new NodeLinks(
                                                rack + "-" + tray, rack + "-" + (1 - tray), "", "", "")))))
                        .toList(),
                OptionalInt.of(127),
                List.of(),
                List.of(),
                List.of());
    }

    @Test
    void theMatrixHasEachNodesOwnWord() {
        up("tray-1", "10.0.0.1", "10.0.0.2 10.0.0.3");
        nodes.add(node(
                "tray-2",
                ReportedNodeState.READY,
                sight(
                        ONE,
                        "580",
                        4,
                        "degraded",
                        Optional.of(new NodeLinks("10.0.0.2", "", "10.0.0.1", "tray-3", "")))));
        nodes.add(node("tray-3", ReportedNodeState.READY, sight(ONE, "580", 4, "up", Optional.empty())));

        // 10.0.0.3 is no node's address, and tray-3 is found by its name.
        LinkMatrix links = rack().links();

        assertThat(links.others()).containsExactly("10.0.0.3");
        assertThat(links.rows()).containsExactly("-CUC", "D-LU", "UU-U");
        assertThat(links.between(0, 1)).isEqualTo('D');
        assertThat(links.between(2, 1)).isEqualTo('L');
        assertThat(links.between(0, 2)).isEqualTo('U');
    }

    @Test
    void theWordOfANodeThatDoesNotAnswerIsOld() {
        up("tray-1", "10.0.0.1", "10.0.0.2");
        nodes.add(node(
                "tray-2",
                ReportedNodeState.NOT_READY,
                sight(ONE, "580", 4, "up", Optional.of(new NodeLinks("10.0.0.2", "10.0.0.1", "", "", "")))));

        assertThat(rack().links().rows()).containsExactly("-C", "U-");
        assertThat(bad()).containsExactly("tray-2 does not answer (NotReady), and what is shown is old");
    }

    @Test
    void aConnectionToAnAddressThatTwoNodesClaimCountsForBoth() {
        up("tray-1", "10.0.0.1", "10.0.0.2");
        up("tray-2", "10.0.0.2", "10.0.0.1");
        up("tray-3", "10.0.0.2", "10.0.0.1");

        assertThat(rack().links().rows()).containsExactly("-CC", "C-U", "CU-");
    }

    /** A node that started while its nvidia-imex was down knows no address of its own. */
    @Test
    void aNodeIsFoundHoweverItsAddressOrNameIsWritten() {
        up("tray-1", "FD00:0::1", "Tray-2 TRAY-3.rack.example. ::ffff:10.0.0.9");
        nodes.add(node("tray-2", ReportedNodeState.READY, sight(ONE, "580", 4, "up", Optional.empty())));
        up("tray-3.rack.example", "tray-3", "fd00::1 tray-2 10.0.0.9");

        LinkMatrix links = rack().links();

        assertThat(links.rows()).containsExactly("-CCC", "U-UU", "CC-C");
        assertThat(links.others()).containsExactly("10.0.0.9");
    }

    @Test
    void aShortNameThatSeveralNodesHaveIsNobodysRow() {
        up("tray-1.rack-a.example", "10.0.0.1", "10.0.0.3 tray-1.rack-b.example");
        up("tray-1.rack-b.example", "10.0.0.2", "tray-1.rack-a.example tray-1.rack-c.example");
        up("tray-3", "10.0.0.3", "tray-1");

        LinkMatrix links = rack().links();

        assertThat(links.rows()).containsExactly("-CCU", "C-UC", "UU-U");
        assertThat(links.others()).containsExactly("tray-1.rack-c.example");
    }

    @Test
    void aNumberOfGpusThatNoNodeHasDoesNotSpoilTheSum() {
        for (String name : List.of("tray-1", "tray-2", "tray-3")) {
            nodes.add(
                    node(name, ReportedNodeState.READY, sight(ONE, "580", Integer.MAX_VALUE, "up", Optional.empty())));
        }

        assertThat(RacksDocument.text(report(), SINCE, Screen.NONE)).contains(" 3072 ");
    }

    @Test
    void aRackInWhichAllIsWellHasNoAlert() {
        rackOf(18, 0);

        assertThat(rack().faults()).isEmpty();
        assertThat(rack().links().others()).isEmpty();
    }

    @Test
    void aNodeThatIsCutOffIsNamedAndNotAllItsPeers() {
        rackOf(18, 5);

        assertThat(bad()).contains("tray-05 is cut off from the other nodes: 17 connections are lost");
    }

    @Test
    void saysWhatDiffersAndWhoIsNotUp() {
        up("tray-1", "10.0.0.1", "10.0.0.2");
        nodes.add(node(
                "tray-2",
                ReportedNodeState.READY,
                sight(ONE, "570", 3, "failed", Optional.of(new NodeLinks("10.0.0.2", "10.0.0.1", "", "", "")))));
        wrong.add("its table cannot be read");

        assertThat(bad())
                .containsExactly(
                        "nvidia-imex is \"failed\" on tray-2; and 1 driver that differs, 1 GPU less",
                        "its table cannot be read");
    }

    @Test
    void saysThatChannelsRunOut() {
        up("tray-1", "10.0.0.1", "");
        entries.add(
                new CliqueReport.ReportedChannel(entry(1, RED, ChannelEntry.EntryState.ASSIGNED), List.of("tray-1")));
        channels = OptionalInt.of(10);
        assertThat(warnings()).contains("9 channels are free of 10");

        channels = OptionalInt.of(1);
        assertThat(bad()).contains("no channel is free, further workloads wait: 1 of 1 are bound");

        channels = OptionalInt.empty();
        assertThat(rack().faults()).isEmpty();
    }

    @Test
    void nothingTellsToDeleteANodeThatIsGone() {
        nodes.add(new CliqueReport.ReportedNode(
                "tray-1", ReportedNodeState.NOT_READY, Optional.empty(), NodeStatus.NONE, List.of(hold(RED, 3))));
        nodes.add(new CliqueReport.ReportedNode(
                "tray-2",
                ReportedNodeState.MISSING,
                Optional.of(Instant.EPOCH),
                NodeStatus.NONE,
                List.of(hold(RED, 3), hold(BLUE, 4))));

        assertThat(bad())
                .containsExactly(
                        "tray-1 does not answer (NotReady), and what is shown is old; and 1 channel held",
                        "tray-2 does not answer (Missing), and what is shown is old; and 2 channels held");
        assertThat(rack().faults())
                .extracting(RackFault::step)
                .containsExactly(
                        "see 'kubectl describe node tray-1'; its channels are free once it is back and ends the pods, or"
                                + " powered off and its Node deleted",
                        "see why the Node is gone; its channels are free once its agent has been silent for"
                                + " controller.lostNodeAfter");
        assertThat(rack().faults()).extracting(RackFault::since).contains(Optional.of(Instant.EPOCH));
    }

    @Test
    void workloadsAreNamedWithTheirNodesAlsoThoseThatWait() {
        nodes.add(new CliqueReport.ReportedNode(
                "tray-1",
                ReportedNodeState.READY,
                Optional.empty(),
                NodeStatus.NONE,
                List.of(hold(RED, 3), hold(BLUE))));
        nodes.add(new CliqueReport.ReportedNode(
                "tray-2", ReportedNodeState.READY, Optional.empty(), NodeStatus.NONE, List.of(hold(RED, 3))));
        entries.add(new CliqueReport.ReportedChannel(
                entry(3, RED, ChannelEntry.EntryState.RELEASING), List.of("tray-1", "tray-2")));

        assertThat(rack().workloads())
                .extracting(one -> one.domain() + " "
                        + one.channel().map(Object::toString).orElse("-") + " " + one.releasing() + " " + one.nodes())
                .containsExactly("team/red 3 true [tray-1, tray-2]", "team/blue - false [tray-1]");
    }

    @Test
    void severalWorkloadsOnChannelZeroAreAWarning() {
        nodes.add(new CliqueReport.ReportedNode(
                "tray-1", ReportedNodeState.READY, Optional.empty(), NodeStatus.NONE, List.of(hold(RED, 0))));
        nodes.add(new CliqueReport.ReportedNode(
                "tray-2", ReportedNodeState.READY, Optional.empty(), NodeStatus.NONE, List.of(hold(RED, 0))));
        channels = OptionalInt.empty();
        assertThat(warnings()).noneMatch(text -> text.contains("channel 0"));

        nodes.add(new CliqueReport.ReportedNode(
                "tray-3", ReportedNodeState.READY, Optional.empty(), NodeStatus.NONE, List.of(hold(BLUE, 0))));

        assertThat(warnings())
                .contains("2 ComputeDomains use channel 0 at once, and their pods can map each other's memory:"
                        + " team/blue, team/red");
        assertThat(RacksDocument.text(report(), Instant.EPOCH, Screen.NONE)).contains("shared");
    }

    @Test
    void aNodesModeStandsInTheDocument() {
        nodes.add(node(
                "tray-1",
                ReportedNodeState.READY,
                NodeStatus.NONE.in(Optional.of(new NodeMode.ChannelMode(Isolation.NONE)))));
        nodes.add(
                node("tray-2", ReportedNodeState.READY, NodeStatus.NONE.in(Optional.of(new NodeMode.ObservingMode()))));
        nodes.add(node("tray-3", ReportedNodeState.READY, NodeStatus.NONE));

        JsonNode trays = RacksDocument.of(report()).at("/racks/0/trays");

        assertThat(trays.path(0).path("mode").asText()).isEqualTo("Serving");
        assertThat(trays.path(0).path("isolation").asText()).isEqualTo("None");
        assertThat(trays.path(1).path("mode").asText()).isEqualTo("Observing");
        assertThat(trays.path(2).has("mode")).isFalse();
    }

    @Test
    void aNodeThatHoldsWhatItLikesFillsNoDocument() {
        List<Hold> holds = IntStream.range(0, 1_024)
                .mapToObj(i -> hold(Fabric.domain("d" + i)))
                .toList();
        nodes.add(new CliqueReport.ReportedNode(
                "tray-1", ReportedNodeState.READY, Optional.empty(), NodeStatus.NONE, holds));

        assertThat(rack().workloads()).hasSize(256);
    }

    @Test
    void whateverANodeSaysTheDocumentStaysWithinBounds() {
        String many = IntStream.range(0, 256).mapToObj(i -> "x" + i).collect(Collectors.joining(" "));
        for (int tray = 0; tray < 18; tray++) {
            String own = many.replace("x", "x" + tray + "-");
            nodes.add(node(
                    "tray-" + tray,
                    ReportedNodeState.READY,
                    sight(ONE, "580", 4, "up", Optional.of(new NodeLinks("10.0.0." + tray, own, own, own, own)))));
        }

        assertThat(rack().links().others()).hasSize(64);
        assertThat(RacksDocument.of(report()).toString().length()).isLessThan(10_000);

        for (int tray = 18; tray < 300; tray++) {
            up("tray-" + tray, "10.0.0." + tray, many);
        }
        assertThat(rack().links().rows()).isEmpty();
        assertThat(rack().trays()).hasSize(300);
    }

    @Test
    void theDocumentSaysAllOfIt() {
        rackOf(2, 0);
        entries.add(
                new CliqueReport.ReportedChannel(entry(3, RED, ChannelEntry.EntryState.ASSIGNED), List.of("tray-01")));

        JsonNode document =
                RacksDocument.of(new RackReport(Isolation.IMEX_CHANNEL, Optional.of("away"), List.of(rack())));

        assertThat(document)
                .hasToString("{\"version\":3,\"isolation\":\"IMEXChannel\",\"stale\":\"away\",\"racks\":[{\"clique\":\""
                        + ONE
                        + "\",\"name\":\"tray\",\"channels\":127,\"used\":1,\"trays\":["
                        + "{\"node\":\"tray-01\",\"state\":\"Ready\",\"gpus\":4,\"driver\":\"580\",\"imex\":\"up\","
                        + "\"severity\":\"ok\",\"since\":\"2026-11-21T12:10:00Z\",\"peers\":\"1/1\","
                        + "\"address\":\"10.0.0.1\",\"links\":\"-C\"},"
                        + "{\"node\":\"tray-02\",\"state\":\"Ready\",\"gpus\":4,\"driver\":\"580\",\"imex\":\"up\","
                        + "\"severity\":\"ok\",\"since\":\"2026-11-21T12:10:00Z\",\"peers\":\"1/1\","
                        + "\"address\":\"10.0.0.2\",\"links\":\"C-\"}],\"others\":[],\"workloads\":["
                        + "{\"namespace\":\"team\",\"name\":\"red\",\"uid\":\"uid-of-red\",\"channel\":3,"
                        + "\"releasing\":false,\"nodes\":[\"tray-01\"]}],\"causes\":[]}]}");
    }

    @Test
    void theTableSaysTheSame() {
        rackOf(3, 3);
        entries.add(
                new CliqueReport.ReportedChannel(entry(3, RED, ChannelEntry.EntryState.ASSIGNED), List.of("tray-01")));

        String text = RacksDocument.text(report(), SINCE.plusSeconds(7_200), Screen.NONE);

        assertThat(text.lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "RACK SEVERITY AGE CAUSE",
                        "tray critical - tray-03 is cut off from the other nodes: 2 connections are lost",
                        " step: run 'imex-agent health' on tray-03; see the network there, and port 50000",
                        "",
                        "RACK CLIQUE NODES GPUS CHANNELS USED WORKLOADS CAUSES",
                        "tray " + ONE + " 3 12 127 1 1 1",
                        "",
                        "RACK NODE STATE GPUS DRIVER IMEX AGE CONNECTIONS",
                        "tray tray-01 Ready 4 580 up 2h -CL",
                        "tray tray-02 Ready 4 580 up 2h C-L",
                        "tray tray-03 Ready 4 580 up 2h LL-",
                        "connections, a letter for each node of the rack in this order: C connected, D degraded, L lost,"
                                + " U unknown, - the node itself",
                        "",
                        "RACK CHANNEL WORKLOAD STATE NODES",
                        "tray 3 team/red bound tray-01");
    }

    @Test
    void oneNodeMakesTheRowsOfOthersNoLonger() {
        up("tray-01", "10.0.0.1", "10.0.0.2");
        String strangers = IntStream.range(0, 64).mapToObj(i -> "10.9.0." + i).collect(Collectors.joining(" "));
        nodes.add(node(
                "tray-02",
                ReportedNodeState.READY,
                sight(
                        ONE,
                        "d".repeat(300),
                        4,
                        "v".repeat(300),
                        Optional.of(new NodeLinks("10.0.0.2", "10.0.0.1 " + strangers, "", "", "")))));

        List<String> lines = RacksDocument.text(report(), SINCE, Screen.NONE)
                .lines()
                .map(line -> line.replaceAll(" +", " "))
                .toList();

        assertThat(lines)
                .contains(
                        "tray tray-01 Ready 4 580 up 0s -C",
                        "tray tray-02 Ready 4 " + "d".repeat(19) + "… " + "v".repeat(19) + "… 0s C-")
                .contains("tray has connections to 64 addresses of none of its nodes, which are left out here: -o json"
                        + " has them");
        assertThat(RacksDocument.of(report()).at("/racks/0/others")).hasSize(64);
    }

    /** A cluster of 3,600 nodes. The bound is far above the time that it takes, under a second. */
    @Test
    void fifteenSickNodesOfTwoHundredRacksAreFifteenLinesWithTheirRacksFirst() {
        List<CliqueReport> cliques = IntStream.range(0, 200)
                .mapToObj(RackReportTest::rackWithASickNode)
                .toList();
        var fabric = new ClusterReport.ReportedFabric(Isolation.IMEX_CHANNEL, cliques, List.of(), Map.of(), Map.of());
        long begun = System.nanoTime();

        RackReport report = RackReport.of(fabric, Optional.empty());
        int characters = RacksDocument.of(report).toString().length();
        String text = RacksDocument.text(report, SINCE, Screen.NONE);
        List<String> alerts =
                RacksDocument.causes(report, SINCE, Screen.NONE).lines().toList();
        Duration taken = Duration.ofNanos(System.nanoTime() - begun);

        assertThat(alerts).hasSize(16).first().asString().startsWith("RACK");
        assertThat(alerts.subList(1, 16))
                .allSatisfy(line -> assertThat(line)
                        .matches(
                                "rack\\d+-tray +critical .*nvidia-imex is \"failed\" on rack\\d+-tray-\\d\\d; and 17 connections"
                                        + " lost, 17 nodes degraded"));
        assertThat(report.racks().subList(0, 15)).allMatch(rack -> rack.faults().size() == 1);
        assertThat(report.racks().subList(15, 200))
                .allMatch(rack -> rack.faults().isEmpty());
        assertThat(text.lines()).hasSizeGreaterThan(3_800);
        assertThat(characters).isPositive();
        assertThat(taken).isLessThan(Duration.ofSeconds(10));
    }

    /** A rack of 18 nodes, in each thirteenth of the first 195 one whose nvidia-imex has failed. */
    private static CliqueReport rackWithASickNode(int rack) {
        int sick = rack % 13 == 5 && rack < 195 ? rack % 18 : -1;
        List<String> names = IntStream.range(0, 18)
                .mapToObj("rack%03d-tray-%%02d".formatted(rack)::formatted)
                .toList();
        CliqueId clique = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153." + rack);
        return new CliqueReport(
                clique,
                IntStream.range(0, 18)
                        .mapToObj(tray -> {
                            String others = names.stream()
                                    .filter(name -> !name.equals(names.get(tray)))
                                    .filter(name -> sick < 0 || !name.equals(names.get(sick)))
                                    .collect(Collectors.joining(" "));
                            String lost = sick < 0 ? "" : names.get(sick);
                            return node(
                                    names.get(tray),
                                    ReportedNodeState.READY,
                                    sight(
                                            clique,
                                            "580",
                                            4,
                                            tray == sick ? "failed" : sick < 0 ? "up" : "degraded",
                                            Optional.of(
                                                    tray == sick
                                                            ? new NodeLinks(lost, "", "", "", "")
                                                            : new NodeLinks(names.get(tray), others, "", lost, ""))));
                        })
                        .toList(),
                OptionalInt.of(127),
                List.of(),
                List.of(),
                List.of());
    }

    @Test
    void agesAreWrittenAsKubectlDoes() {
        assertThat(List.of(-5, 119, 120, 7_199, 7_200, 172_799, 172_800))
                .map(seconds -> RacksDocument.age(Duration.ofSeconds(seconds)))
                .containsExactly("0s", "119s", "2m", "119m", "2h", "47h", "2d");
    }

    /** Nothing that somebody names can become a part of the page: it has none of it, and its policy runs its own script only. */
    @Test
    void thePageHasNothingOfTheClusterAndRunsItsOwnScriptOnly() {
        nodes.add(node(HOSTILE, ReportedNodeState.READY, NodeStatus.NONE));
        RacksPage page = RacksPage.load();

        assertThat(RacksDocument.of(report()).at("/racks/0/trays/0/node").asText())
                .isEqualTo(HOSTILE);
        assertThat(page.html()).doesNotContain("/*STYLE*/", "/*SCRIPT*/", "innerHTML", "http://127", "https://");
        assertThat(page.html()).doesNotContainPattern("\\son[a-z]+=|style=|<script src|<link rel=\"stylesheet");
        assertThat(page.policy())
                .contains("default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "connect-src 'self'")
                .doesNotContain("unsafe");
    }

    private Rack rack() {
        return report().racks().getFirst();
    }

    private RackReport report() {
        return RackReport.of(
                new ClusterReport.ReportedFabric(
                        Isolation.IMEX_CHANNEL,
                        List.of(new CliqueReport(ONE, nodes, channels, List.of(), entries, wrong)),
                        List.of(),
                        Map.of(),
                        Map.of()),
                Optional.empty());
    }

    private List<String> bad() {
        return texts(Severity.CRITICAL);
    }

    private List<String> warnings() {
        return texts(Severity.WARNING);
    }

    private List<String> texts(Severity severity) {
        return rack().faults().stream()
                .filter(fault -> fault.severity() == severity)
                .map(RackFault::line)
                .toList();
    }

    /** A rack in which all are connected; the node of this number, from 1, to none. */
    private void rackOf(int size, int lost) {
        for (int tray = 1; tray <= size; tray++) {
            List<String> connected = new ArrayList<>();
            List<String> away = new ArrayList<>();
            for (int other = 1; other <= size; other++) {
                if (other != tray) {
                    (tray == lost || other == lost ? away : connected).add("10.0.0." + other);
                }
            }
            var links = new NodeLinks("10.0.0." + tray, String.join(" ", connected), "", String.join(" ", away), "");
            nodes.add(node(
                    "tray-%02d".formatted(tray),
                    ReportedNodeState.READY,
                    sight(ONE, "580", 4, "up", Optional.of(links))));
        }
    }

    private void up(String name, String address, String connected) {
        nodes.add(node(
                name,
                ReportedNodeState.READY,
                sight(ONE, "580", 4, "up", Optional.of(new NodeLinks(address, connected, "", "", "")))));
    }

    private static NodeStatus sight(CliqueId clique, String driver, int gpus, String imex, Optional<NodeLinks> links) {
        return new NodeStatus(
                Optional.of(clique),
                Optional.of(driver),
                gpus,
                Optional.of(imex),
                Optional.of(SINCE),
                Optional.of("1/1"),
                links,
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static CliqueReport.ReportedNode node(String name, ReportedNodeState state, NodeStatus sight) {
        return new CliqueReport.ReportedNode(name, state, Optional.empty(), sight, List.<Hold>of());
    }
}
