package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.controller.ClusterDocument;
import io.imexagent.controller.ClusterReport;
import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.controller.ClusterReport.ReportedDomainState;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodesFile;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.text.Screen;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NodeStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ControlPlaneCommandsTest {

    private static final CliqueId CLIQUE = new CliqueId("b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7");
    private static final DomainName TRAIN = new DomainName(new ComputeDomainUid("uid-1"), "team", "train");
    private static final List<ClusterReport.ReportedDomain> DOMAINS = List.of(new ClusterReport.ReportedDomain(
            "team",
            "train",
            "uid-1",
            ReportedDomainState.READY,
            "train-channel",
            List.of(new ClusterReport.ChannelPlacement(
                    CLIQUE,
                    Optional.of(new ChannelId(5)),
                    List.of(
                            node("tray-1", ReportedNodeState.READY, "ready"),
                            node("tray-2", ReportedNodeState.MISSING, "degraded")))),
            List.of("somebody else has the channel, too")));
    private static final List<CliqueReport> CLIQUES = List.of(new CliqueReport(
            CLIQUE,
            List.of(
                    node("tray-1", ReportedNodeState.READY, "ready"),
                    node("tray-2", ReportedNodeState.MISSING, "degraded")),
            OptionalInt.of(127),
            List.of(),
            List.of(new CliqueReport.ReportedChannel(
                    new ChannelEntry(new ChannelId(5), TRAIN, "tray-1", ChannelEntry.EntryState.ASSIGNED),
                    List.of("tray-1", "tray-2"))),
            List.of("its table cannot be read")));

    private final CliFixture cli = new CliFixture();

    private static CliqueReport.ReportedNode node(String name, ReportedNodeState state, String imex) {
        NodeStatus sight = new NodeStatus(
                        Optional.of(CLIQUE),
                        Optional.of("580.95"),
                        4,
                        Optional.of(imex),
                        Optional.of(Instant.parse("2026-11-21T12:10:00Z")),
                        Optional.of("17/18"),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalLong.empty(),
                        Optional.empty(),
                        Optional.empty())
                .in(Optional.of(new NodeMode.ChannelMode(Isolation.IMEX_CHANNEL)));
        Optional<Instant> lost = state == ReportedNodeState.MISSING
                ? Optional.of(Instant.parse("2026-11-21T12:00:00Z"))
                : Optional.empty();
        return new CliqueReport.ReportedNode(
                name, state, lost, sight, List.of(new Hold(TRAIN, Optional.of(new ChannelId(5)))));
    }

    @Test
    void manifestsFollowGatesAndIsolation() {
        ExitCode off = cli.execute("manifests", "--feature-gates", "HostManagedIMEX=false");
        String driverManaged = cli.out();
        ExitCode on = cli.execute(
                "manifests", "--feature-gates", "HostManagedIMEX=true", "--isolation", "IMEXChannel", "--admission");

        assertThat(off).isEqualTo(ExitCode.OK);
        assertThat(on).isEqualTo(ExitCode.OK);
        assertThat(driverManaged).contains("compute-domain-daemon.nvidia.com").doesNotContain("Admission");
        assertThat(cli.out())
                .contains("compute-domain-channel.nvidia.com", "kind: ValidatingAdmissionPolicy")
                .doesNotContain("compute-domain-daemon.nvidia.com");
    }

    @Test
    void manifestsHaveRightsToTheStatusOfClaimsOnRequest() {
        String[] command = {"manifests", "--feature-gates", "HostManagedIMEX=true", "--isolation", "None"};
        cli.execute(command);
        assertThat(cli.out()).doesNotContain("imex-claim-status");

        cli.execute(
                Stream.concat(Stream.of(command), Stream.of("--claim-status")).toArray(String[]::new));
        assertThat(cli.out()).contains("name: imex-claim-status", "associated-node:patch");
    }

    @Test
    void manifestsHaveThePolicyOfPlacementOnRequestAndSayThatTheyLeaveItOut() {
        String[] command = {"manifests", "--feature-gates", "HostManagedIMEX=true", "--isolation", "None", "--set"};
        String kind = "kind: MutatingAdmissionPolicy\n";

        cli.execute(Stream.concat(Stream.of(command), Stream.of("placement.clique=Required"))
                .toArray(String[]::new));
        assertThat(cli.out()).doesNotContain(kind);
        assertThat(cli.err()).contains("left out: the policy of placement.clique=Required", "--placement", "1.36");

        cli.execute(Stream.concat(Stream.of(command), Stream.of("placement.clique=Required", "--placement"))
                .toArray(String[]::new));
        assertThat(cli.out()).contains(kind);
        assertThat(cli.err()).doesNotContain("left out");
    }

    @Test
    void manifestsAreRefusedWhereNothingSaysForWhichMode() throws IOException {
        assertThat(cli.execute("manifests")).isEqualTo(ExitCode.CONFIGURATION);
        assertThat(cli.out())
                .as("for kubectl apply, which refuses nothing at all")
                .isEmpty();
        assertThat(cli.err())
                .contains(
                        "prints nothing: featureGates.HostManagedIMEX is false (default)",
                        "the public driver's own chart")
                .contains("--feature-gates HostManagedIMEX=true --isolation None");

        Path asInstalled = Path.of(System.getProperty("basedir", "."), "..", "packaging", "rpm", "config.yaml");
        assertThat(cli.execute("manifests", "--config", asInstalled.toString())).isEqualTo(ExitCode.CONFIGURATION);
        assertThat(cli.err()).contains("config.yaml:10)");
        assertThat(cli.execute("manifests", "--config", asInstalled.toString(), "--imex-mode", "driverManaged"))
                .isEqualTo(ExitCode.OK);
        assertThat(cli.execute("manifests", "--set", "rdma.enabled=true")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).contains("rail.rdma.imexagent.io");
    }

    @Test
    void manifestsSayOnStandardErrorWhatTheyAreFor() {
        cli.execute("manifests", "--feature-gates", "HostManagedIMEX=true", "--isolation", "None");
        assertThat(cli.err().lines())
                .containsExactly("imex-agent: prints for featureGates.HostManagedIMEX=true, imex.isolation=None,"
                        + " rdma.enabled=false, controllers in namespace imex-agent as user imex-controller, without a"
                        + " configuration file");
        assertThat(cli.out()).doesNotContain("prints for");
    }

    @Test
    void manifestsSayWhichOptionsAddNothingToTheObjectsOfThePublicDriver() {
        cli.execute(
                "manifests", "--feature-gates", "HostManagedIMEX=false", "--placement", "--fabric-test", "--admission");
        assertThat(cli.err())
                .contains("left out: what --placement adds", "what --fabric-test adds", "what --admission adds");
    }

    @Test
    void manifestsNameTheUserAndTheNamespace() {
        cli.execute(
                "manifests",
                "--feature-gates",
                "HostManagedIMEX=true",
                "--isolation",
                "None",
                "--controller-user",
                "somebody",
                "--set",
                "controller.namespace=elsewhere");

        assertThat(cli.out()).contains("name: \"somebody\"", "namespace: \"elsewhere\"");
    }

    @Test
    void manifestsOfAFaultyConfigurationAreRefused() {
        ExitCode code = cli.execute("manifests", "--feature-gates", "HostManagedIMEX=true");

        assertThat(code).isEqualTo(ExitCode.CONFIGURATION);
        assertThat(cli.err()).contains("imex.isolation", "explicit choice");
        assertThat(cli.out()).isEmpty();
    }

    @Test
    void domainsAreListedByCliqueWithWhatIsWrong() {
        assertThat(lines(ClusterDocument.domains(DOMAINS, Screen.NONE)))
                .containsExactly(
                        "NAMESPACE NAME STATUS TEMPLATE CLIQUE CHANNEL NODES WRONG",
                        "team train Ready train-channel b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7 5 tray-1,tray-2"
                                + " (Missing since 2026-11-21T12:00:00Z) somebody"
                                + " else has the channel, too");
    }

    @Test
    void domainsAsJson() {
        assertThat(Documents.json(Instant.EPOCH, ClusterDocument.domains(DOMAINS)))
                .contains("\"clique\" : \"b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7\"", "\"channel\" : 5")
                .contains("\"nodes\" : [ \"tray-1\", \"tray-2\" ]");
    }

    @Test
    void cliquesAreListedWithTheirChannelsAndWhatLostNodesHold() {
        String clique = CLIQUE.text();
        assertThat(lines(ClusterDocument.cliques(CLIQUES, Screen.NONE)))
                .containsExactly(
                        "CLIQUE NODES MODE IMEX CHANNELS USED FREE WRONG",
                        clique + " 2 IMEXChannel:2 degraded:1,ready:1 127 1 126 its table cannot be read",
                        "",
                        "CLIQUE CHANNEL COMPUTEDOMAIN STATE NODES",
                        clique + " 5 team/train bound tray-1,tray-2",
                        "",
                        "NODE STATE SINCE CLIQUE HOLDS CHANNEL COMPUTEDOMAIN",
                        "tray-2 Missing 2026-11-21T12:00:00Z " + clique + " 5 team/train");
    }

    @Test
    void cliquesAsJson() {
        assertThat(Documents.json(Instant.EPOCH, ClusterDocument.cliques(CLIQUES)))
                .contains("\"channels\" : 127", "\"used\" : 1", "\"free\" : 126", "\"lostHolds\" : 1")
                .contains("\"imexSince\" : \"2026-11-21T12:10:00Z\"", "\"peers\" : \"17/18\"")
                .contains("\"node\" : \"Missing\"", "\"releasing\" : false")
                .contains("\"mode\" : \"Serving\"", "\"isolation\" : \"IMEXChannel\"");
    }

    /** What a scheduler or a planner of workloads reads. */
    @Test
    void cliquesAsJsonCountMembersAndNameTheReadyOnesThatHoldNothing() {
        CliqueReport.ReportedNode like = node("tray-1", ReportedNodeState.READY, "up");
        var elsewhere = new NodeStatus(
                Optional.of(new CliqueId("b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.8")),
                Optional.empty(),
                4,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty());
        var clique = new CliqueReport(
                CLIQUE,
                List.of(
                        like,
                        free("tray-2", ReportedNodeState.READY, like.status()),
                        free("tray-3", ReportedNodeState.NOT_READY, like.status()),
                        free("tray-4", ReportedNodeState.MISSING, like.status()),
                        free("tray-5", ReportedNodeState.UNKNOWN, like.status()),
                        free(
                                "tray-6",
                                ReportedNodeState.READY,
                                like.status().in(Optional.of(new NodeMode.ObservingMode()))),
                        free("tray-7", ReportedNodeState.READY, elsewhere),
                        free("tray-8", ReportedNodeState.READY, like.status().in(Optional.empty())),
                        new CliqueReport.ReportedNode(
                                "tray-9",
                                ReportedNodeState.READY,
                                Optional.empty(),
                                like.status(),
                                List.of(new Hold(TRAIN, Optional.of(new ChannelId(0)))))),
                OptionalInt.of(127),
                List.of(),
                List.of(),
                List.of());

        JsonNode one = ClusterDocument.cliques(List.of(clique)).at("/cliques/0");

        assertThat(one.path("members").asInt()).isEqualTo(8);
        assertThat(one.path("ready").asInt()).isEqualTo(5);
        assertThat(one.path("freeNodes")).extracting(JsonNode::asText).containsExactly("tray-2", "tray-8");
        assertThat(one.path("nodes")).hasSize(9);
    }

    private static CliqueReport.ReportedNode free(String name, ReportedNodeState state, NodeStatus status) {
        return new CliqueReport.ReportedNode(name, state, Optional.empty(), status, List.of());
    }

    @Test
    void theFileOfNodesOfACliqueIsPrintedWithReasonsInComments() {
        var clique = new CliqueReport(
                CLIQUE,
                List.of(
                        withFile("tray-1", "10.0.0.1", "10.0.0.1", "10.0.0.2"),
                        withFile("tray-2", "10.0.0.2", "10.0.0.1", "10.0.0.2", "10.0.0.9"),
                        withFile("tray-3", "10.0.0.3", "10.0.0.1", "10.0.0.2"),
                        node("tray-4", ReportedNodeState.READY, "up")),
                OptionalInt.of(127),
                List.of(),
                List.of(),
                List.of());

        assertThat(ClusterDocument.nodesFile(clique))
                .isEqualTo("# nodes of the NVLink clique " + CLIQUE + ", the same file on each of them\n"
                        + "# not compared, since no file is reported of: tray-4\n"
                        + "10.0.0.1\n"
                        + "10.0.0.2\n"
                        + "# 10.0.0.9 is in 1 of 3 files only: tray-2\n"
                        + "# 10.0.0.3 is tray-3, a node of the clique that stands in no file\n");
        assertThat(ClusterDocument.cliques(List.of(clique), Screen.NONE))
                .contains("tray-2 has 10.0.0.9 besides", "imex-agent nodes-file " + CLIQUE + " prints");
        assertThat(ClusterDocument.cliques(List.of(clique)).at("/cliques/0/nodesFiles/faults"))
                .extracting(fault -> fault.path("fault").asText())
                .containsExactly("files-differ", "own-line-missing", "member-missing");
        assertThat(ClusterDocument.nodesFile(clique, Optional.of(List.of("it lacks 10.0.0.2")))
                        .toString())
                .contains("\"line\":\"10.0.0.9\",\"plain\":false", "\"differences\":[\"it lacks 10.0.0.2\"]");
    }

    private static CliqueReport.ReportedNode withFile(String name, String address, String... lines) {
        CliqueReport.ReportedNode plain = node(name, ReportedNodeState.READY, "up");
        return new CliqueReport.ReportedNode(
                name,
                plain.state(),
                Optional.empty(),
                plain.status()
                        .with(Optional.of(NodesFile.of(List.of(lines), NodeIdentity.of(List.of(address)), false))),
                List.of());
    }

    private static List<String> lines(String table) {
        return table.lines().map(line -> line.replaceAll(" +", " ").strip()).toList();
    }

    @Test
    void theControllerRunsUnderTheSameConfiguration() {
        ExitCode code = cli.execute(
                "controller",
                "--feature-gates",
                "HostManagedIMEX=true",
                "--isolation",
                "IMEXChannel",
                "--set",
                "imex.channels=64");

        assertThat(code).isEqualTo(ExitCode.OK);
        assertThat(cli.runs().getLast().imex().channels()).isEqualTo(64);
    }
}
