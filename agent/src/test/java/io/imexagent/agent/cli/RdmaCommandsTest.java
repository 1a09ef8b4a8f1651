package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.agent.fake.Configs;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.rdma.fixture.AnsweredFiles;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.rails.RuntimeProbe.ArpHook;
import io.imexagent.rdma.rails.RuntimeProbe.NetdevSupport;
import io.imexagent.rdma.report.RdmaChecks;
import io.imexagent.rdma.report.RdmaDocument;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RdmaCommandsTest {

    private static final String NODE = "host-1";
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path access;

    private static ApiDouble api;

    @TempDir
    Path root;

    @TempDir
    Path out;

    private final CliFixture cli = new CliFixture()
            .environment("IMEX_AGENT_NVML_SIMULATE", "gb200")
            .environment("IMEX_AGENT_RDMA_STORAGE_DEVICES", "15b3:a2dc")
            .environment(
                    "IMEX_AGENT_KUBERNETES_KUBECONFIG",
                    access.resolve("kubelet.conf").toString());
    private RdmaTree tree;

    @BeforeAll
    static void aClusterWithThisNode() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions().token("secret", UserIdentity.ADMIN));
        api.writeKubeconfig(access.resolve("kubelet.conf"), new Login.TokenLogin("secret"));
        api.apply(Fixtures.node(NODE, "00000000-0000-4000-8000-000000000001"));
    }

    @AfterAll
    static void noCluster() {
        api.close();
    }

    @BeforeEach
    void layOut() {
        tree = RdmaTree.gb200(root);
        cli.on(root);
    }

    private Path bundle() {
        return out.resolve("bundle.json");
    }

    @Test
    void showsEveryNicWithClassAndReason() {
        tree.change("mlx5_1", FixtureNic::withoutAddress).change("mlx5_5", nic -> nic.infiniband("0x0011"));

        assertThat(cli.execute("rdma", "show")).isEqualTo(ExitCode.OK);

        assertThat(cli.out()).isEqualTo("""
            rdma.enabled       false, so the agent publishes none of these
            rails              rdma0,rdma2,rdma3
            NCCL_IB_HCA        =mlx5_0,mlx5_4,mlx5_5
            NCCL_IB_GID_INDEX  -
            env                unless-set, what image and pod set wins: containerd://2.1.4 mounts a file in which NCCL 2.23 or later finds them
            GPUDirect          dma-buf: kernel 6.8.0-1021-nvidia-64k, open kernel modules
            netns mode         shared
            rdma_cm            10:121
            node addresses     192.0.2.7

            RDMA    NETDEV       PCI           NUMA  LINK        STATE   GB/S  GID  ADDRESS   GPUS                  CLASS     OFFERED
            mlx5_0  rdma0        0000:03:00.0  0     Ethernet    ACTIVE  400   3    10.1.0.1  0,1 (same NUMA node)  rail      yes
            mlx5_1  rdma1        0002:03:00.0  0     Ethernet    ACTIVE  400   -    -         -                     unusable  no, unusable
            mlx5_2  enP6p3s0f0   0006:03:00.0  0     Ethernet    ACTIVE  400   -    -         -                     uplink    no, uplink
            mlx5_3  enP6p3s0f1   0006:03:00.1  0     Ethernet    ACTIVE  400   -    10.9.0.1  -                     storage   no, storage
            mlx5_4  rdma2        0010:03:00.0  1     Ethernet    ACTIVE  400   3    10.1.2.1  2,3 (same NUMA node)  rail      yes
            mlx5_5  rdma3        0012:03:00.0  1     InfiniBand  ACTIVE  400   -    -         2,3 (same NUMA node)  rail      yes
            mlx5_6  enP22p3s0f0  0016:03:00.0  1     Ethernet    ACTIVE  400   -    -         -                     uplink    no, uplink
            mlx5_7  enP22p3s0f1  0016:03:00.1  1     Ethernet    DOWN    400   -    -         -                     storage   no, storage

            NOT OFFERED  RULE      REASON
            mlx5_1       unusable  RDMA netdev rdma1 has no IPv4 address
                                   remedy: give the interface an address: ip address add <address>/<prefix> dev <dev>
            mlx5_2       uplink    bond0 carries the IPv4 default route
                                   remedy: leave it to the host; if it must be offered, name it in rdma.include and set rdma.includeUplinks
            mlx5_3       storage   its PCI device 15b3:a2dc is one for storage
                                   remedy: take the device out of rdma.storageDevices, or name the NIC in rdma.include
            mlx5_6       uplink    bond0 carries the IPv4 default route
                                   remedy: leave it to the host; if it must be offered, name it in rdma.include and set rdma.includeUplinks
            mlx5_7       storage   its PCI device 15b3:a2dc is one for storage
                                   remedy: take the device out of rdma.storageDevices, or name the NIC in rdma.include
            """);
    }

    @Test
    void showsTheSameAsADocument() throws IOException {
        assertThat(cli.execute("rdma", "show", "-o", "json")).isEqualTo(ExitCode.OK);

        JsonNode document = new ObjectMapper().readTree(cli.out());
        assertThat(document.at("/nccl/NCCL_IB_HCA").asText()).isEqualTo("=mlx5_0,mlx5_1,mlx5_4,mlx5_5");
        assertThat(document.at("/nccl/NCCL_IB_GID_INDEX").asText()).isEqualTo("3");
        assertThat(document.at("/gpuDirect/method").asText()).isEqualTo("dma-buf");
        assertThat(document.at("/uplinks/interfaces/bond0").asText()).isEqualTo("carries the IPv4 default route");
        assertThat(document.at("/nics")).hasSize(8);
        JsonNode rail = document.at("/nics/0");
        assertThat(rail.at("/device").asText()).isEqualTo("rail-0000-03-00-0");
        assertThat(rail.at("/uverbs/number").asText()).isEqualTo("231:192");
        assertThat(rail.at("/netdev/arp/arp_ignore").asInt()).isZero();
        assertThat(rail.at("/offered").asBoolean()).isTrue();
        assertThat(rail.at("/nearestGpus")).hasSize(2);
        assertThat(rail.at("/gpuDistances").findValuesAsText("distance"))
                .containsExactly("same NUMA node", "same NUMA node", "system", "system");
        assertThat(document.at("/nics/2/dropped/rule").asText()).isEqualTo("uplink");
    }

    /** As the running agent, which asks with the same credentials. */
    @Test
    void theInterfaceThatOwnsTheNodesAddressIsNotOffered() throws IOException {
        tree.change("mlx5_1", nic -> nic.withoutAddress().ipv4("192.0.2.7/24"));

        cli.execute("rdma", "summary");
        assertThat(cli.out()).contains("netdevs       rdma0,rdma2,rdma3\n");
        cli.execute("rdma", "check");
        assertThat(cli.out()).contains("3 of 8 NICs are offered: rdma0,rdma2,rdma3");
        cli.execute("rdma", "show", "-o", "json");
        JsonNode document = JSON.readTree(cli.out());
        assertThat(document.at("/nodeAddresses").toString())
                .isEqualTo("{\"state\":\"known\",\"addresses\":[\"192.0.2.7\"]}");
        assertThat(document.at("/uplinks/interfaces/rdma1").asText()).isEqualTo("owns the node's address 192.0.2.7");
    }

    /** Whoever reads these must not take silence for certainty, with or without a peer. */
    @ParameterizedTest
    @ValueSource(strings = {"show", "summary", "check"})
    void addressesThatCouldNotBeAskedForAreTold(String command) {
        String missing = access.resolve("none.conf").toString();
        cli.environment("IMEX_AGENT_KUBERNETES_KUBECONFIG", missing);

        cli.execute("rdma", command);
        assertThat(cli.out()).contains("rdma-node-addresses-unknown", "kubeconfig " + missing + " does not exist");
        cli.execute("rdma", command, "--peer", "rdma0,rdma1,rdma2,rdma3");
        assertThat(cli.out()).contains("rdma-node-addresses-unknown");

        cli.execute("rdma", command, "--set", "rdma.nodeAddresses=192.0.2.7");
        assertThat(cli.out()).doesNotContain("rdma-node-addresses-unknown");
    }

    @Test
    void showsFindingsWithTheirRemedies() {
        tree.without("sys/class/misc/rdma_cm");

        cli.execute("rdma", "show");

        assertThat(cli.out())
                .contains("warning   rdma-cm-missing  there is no /dev/infiniband/rdma_cm")
                .contains("remedy: load the module rdma_ucm");
    }

    @Test
    void narrowsToWhatThePeerHas() {
        cli.execute("rdma", "show", "--peer", "rdma0,mlx5_4");

        assertThat(cli.out())
                .contains("NCCL_IB_HCA        =mlx5_0,mlx5_4\n")
                .contains("mlx5_1       not-at-peer  the peer does not have it");
    }

    @Test
    void summarisesWithALineForThePeer() {
        assertThat(cli.execute(
                        "rdma",
                        "summary",
                        "--set",
                        "rdma.enabled=true",
                        "--peer",
                        "RDMA_PEER_IFACES=\"rdma0 rdma1 rdma9\""))
                .isEqualTo(ExitCode.OK);

        assertThat(cli.out()).isEqualTo("""
            rdma.enabled  true
            netdevs       rdma0,rdma1
            RDMA devices  mlx5_0,mlx5_1
            NCCL_IB_HCA   =mlx5_0,mlx5_1
            GPUDirect     dma-buf: kernel 6.8.0-1021-nvidia-64k, open kernel modules
            netns mode    shared
            only here     rdma2,rdma3
            only at peer  rdma9

            on the other node: imex-agent rdma check --peer rdma0,rdma1
            RDMA_PEER_IFACES="rdma0 rdma1"
            """);
    }

    @Test
    void theLineOfTheSummaryIsWhatThePeerTakes() throws IOException {
        cli.execute("rdma", "summary", "-o", "json");
        String line = new ObjectMapper().readTree(cli.out()).at("/peerLine").asText();

        assertThat(cli.execute("rdma", "check", "--set", "rdma.enabled=true", "--peer", line))
                .isEqualTo(ExitCode.OK);
    }

    @Test
    void aNodeWithoutRailsHasNoSummary() {
        tree.without("proc/net/route");

        assertThat(cli.execute("rdma", "summary")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.out()).contains("netdevs       none").doesNotContain("RDMA_PEER_IFACES");
    }

    @Test
    void aHealthyNodePassesTheCheck() {
        assertThat(cli.execute("rdma", "check", "--set", "rdma.enabled=true")).isEqualTo(ExitCode.OK);
        assertThat(cli.out())
                .contains("4 of 8 NICs are offered: rdma0,rdma1,rdma2,rdma3", "5 ok, 0 info, 0 warning, 0 critical");
    }

    @Test
    void nicsThatNobodyPublishesAreToldToBeSo() throws IOException {
        assertThat(cli.execute("rdma", "check")).isEqualTo(ExitCode.WARNINGS);
        assertThat(cli.out()).contains("rdma.enabled is off: the agent publishes none of these NICs");

        for (String command : List.of("show", "summary")) {
            for (boolean on : new boolean[] {false, true}) {
                cli.execute("rdma", command, "-o", "json", "--set", "rdma.enabled=" + on);
                assertThat(new ObjectMapper().readTree(cli.out()).at("/enabled").asBoolean(!on))
                        .isEqualTo(on);
            }
        }
    }

    @Test
    void aRuntimeThatIsNamedIsCheckedForMovingInterfaces() {
        assertThat(cli.execute(
                        "rdma", "check", "--set", "rdma.enabled=true", "--set", "rdma.runtime=" + root.resolve("runc")))
                .isEqualTo(ExitCode.WARNINGS);
        assertThat(cli.out())
                .contains(
                        "netdev",
                        "claims with mode Netdev are refused: ",
                        ArpHook.INSTALLED.program().toString());

        cli.execute("rdma", "check", "--set", "rdma.enabled=true");
        assertThat(cli.out()).doesNotContain("netdev");
    }

    @Test
    void aRuntimeThatMovesInterfacesPassesTheCheck() throws IOException {
        RdmaSettings settings = Configs.under(out, false).rdma();
        var view = RdmaView.read(
                new RdmaProbe(new RootedFiles(root)),
                Clock.systemUTC(),
                tree.gpus(),
                new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()),
                settings);

        assertThat(RdmaChecks.of(
                        view,
                        Optional.of(new NetdevSupport.Supported("/usr/libexec/imex-agent/rail-arp-hook")),
                        Optional.empty()))
                .filteredOn(check -> check.message().contains("can move interfaces"))
                .extracting(CheckResult::severity)
                .containsExactly(Severity.OK);
    }

    @Test
    void theCheckWarns() {
        tree.file("sys/module/ib_core/parameters/netns_mode", "N").without("proc/driver/nvidia/version");

        assertThat(cli.execute("rdma", "check")).isEqualTo(ExitCode.WARNINGS);
        assertThat(cli.out()).contains("exclusive: ", "no dma-buf: the NVIDIA driver is not loaded");
    }

    @Test
    void theCheckFailsWhereThePeerDiffers() {
        assertThat(cli.execute("rdma", "check", "--peer", "rdma0,rdma1")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.out()).contains("the rails differ: only here rdma2,rdma3; only at the peer none");
    }

    @Test
    void theConfiguredPeerIsCheckedToo() {
        assertThat(cli.execute("rdma", "check", "--set", "rdma.peer=rdma0,rdma1"))
                .isEqualTo(ExitCode.FAILED);
    }

    @Test
    void theCheckFailsWhereStrictModeDoes() {
        tree.change("mlx5_1", FixtureNic::withoutAddress);

        assertThat(cli.execute("rdma", "check", "--set", "rdma.enabled=true")).isEqualTo(ExitCode.OK);
        assertThat(cli.execute("rdma", "check", "--set", "rdma.strict=true")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.out()).contains("RDMA netdev rdma1 has no IPv4 address, and rdma.strict is on");
    }

    @Test
    void theCheckNotesThatADefaultRouteMayHaveFurtherNextHops() {
        tree.ecmpDefaultRoute("rdma2", "rdma3");

        assertThat(cli.execute("rdma", "check")).isNotEqualTo(ExitCode.FAILED);
        assertThat(cli.out())
                .containsPattern(
                        "info +rdma-next-hops-unknown +the IPv4 default route leaves through rdma2 \\(mlx5_4\\)")
                .contains("name its interfaces in rdma.uplinks");

        cli.execute("rdma", "check", "--set", "rdma.uplinks=rdma2,rdma3");
        assertThat(cli.out()).contains("2 of 8 NICs");
    }

    @Test
    void theCheckFailsWithoutRails() {
        RdmaTree.empty(root.resolve("bare"));
        cli.on(root.resolve("bare"));

        assertThat(cli.execute("rdma", "check")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.out()).contains("this node has no RDMA NIC");
    }

    @Test
    void theSnapshotHoldsRecordsAndTheFilesBehindThem() throws IOException {
        assertThat(cli.execute("rdma", "snapshot")).isEqualTo(ExitCode.OK);

        JsonNode bundle = new ObjectMapper().readTree(cli.out());
        assertThat(bundle.at("/kind").asText()).isEqualTo("imex-agent rdma snapshot");
        assertThat(bundle.at("/version").asText()).isEqualTo("1.2.3");
        assertThat(bundle.at("/rdma/nics")).hasSize(8);
        assertThat(bundle.get("files")
                        .get("/sys/class/infiniband/mlx5_0/ports/1/state")
                        .asText())
                .isEqualTo("4: ACTIVE");
        assertThat(bundle.get("links")
                        .get("/sys/class/infiniband/mlx5_0/device")
                        .asText())
                .isEqualTo("sys/devices/pci0000:00/0000:00:00.0/0000:03:00.0");
        assertThat(bundle.get("folders").get("/sys/class/infiniband")).hasSize(8);
        assertThat(bundle.get("unreadable").has("/sys/devices/pci0000:00/0000:00:00.0/0000:03:00.0/physfn"))
                .isTrue();
    }

    @Test
    void aSnapshotTellsElsewhereWhatTheHostWas() throws IOException {
        cli.execute("rdma", "snapshot");
        JsonNode bundle = JSON.readTree(cli.out());

        RdmaView replayed = RdmaView.read(
                new RdmaProbe(AnsweredFiles.of(bundle)),
                Clock.systemUTC(),
                tree.gpus(),
                new KnownAddresses.ReadAddresses(
                        Set.of(InetAddress.ofLiteral("192.0.2.7")), Optional.of("containerd://2.1.4")),
                Settings.OFF);

        assertThat(bundle.get("programs").isObject()).isTrue();
        JsonNode document = RdmaDocument.of(replayed);
        for (String part : List.of("nccl", "nodeAddresses", "uplinks", "gpuDirect", "failures", "findings")) {
            assertThat(document.get(part)).as(part).isEqualTo(bundle.at("/rdma/" + part));
        }
        assertThat(document.get("nics").findValuesAsText("class"))
                .isEqualTo(bundle.at("/rdma/nics").findValuesAsText("class"));
    }

    /** Only files of sysfs and procfs that tell of devices and routes: no environment, no command line, no /etc. */
    @Test
    void theSnapshotHoldsNoSecrets() throws IOException {
        cli.execute("rdma", "snapshot");

        assertThat(List.copyOf(
                        new ObjectMapper().readTree(cli.out()).get("files").properties()))
                .isNotEmpty()
                .allSatisfy(file -> assertThat(file.getKey())
                        .matches("/sys/(class|devices|bus|module)/.*|/proc/net/(route|ipv6_route|if_inet6)"
                                + "|/proc/sys/(net/ipv4/conf|kernel/osrelease).*|/proc/driver/nvidia/version"));
    }

    @Test
    void theSnapshotIsWrittenForItsOwnerOnlyAndItsFaultsAreTold() throws IOException {
        tree.change("mlx5_1", FixtureNic::withoutAddress).bindToVfio("mlx5_4").softDevice("rxe0");

        assertThat(cli.execute("rdma", "snapshot", "--to", bundle().toString())).isEqualTo(ExitCode.WARNINGS);

        assertThat(bundle()).content().contains("\n  \"kind\" : \"imex-agent rdma snapshot\"");
        assertThat(Files.getPosixFilePermissions(bundle()))
                .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
        assertThat(cli.out())
                .contains(
                        "device-link",
                        "rxe0: it is RDMA in software",
                        "nic-without-rdma",
                        "0010:03:00.0: it has no RDMA device: it is bound to vfio-pci",
                        "no-usable-gid",
                        "mlx5_1 (rdma1) has no usable RoCE v2 GID",
                        "written to " + bundle());
    }

    @Test
    void aDeviceThatCouldNotBeReadIsNoMatterOfItsLink() {
        tree.without("sys/class/infiniband/mlx5_1/device");

        assertThat(cli.execute("rdma", "snapshot", "--to", bundle().toString())).isEqualTo(ExitCode.WARNINGS);
        assertThat(cli.out()).contains("unreadable", "mlx5_1: ").doesNotContain("device-link");
    }

    @Test
    void aSnapshotOfAHealthyNodeSaysSoWhateverNicsTheHostKeeps() {
        assertThat(cli.execute("rdma", "snapshot", "--to", bundle().toString())).isEqualTo(ExitCode.OK);
        assertThat(cli.out())
                .contains(
                        "every NIC that containers may get resolves into the PCI tree",
                        "mlx5_2 (enP6p3s0f0) has no usable RoCE v2 GID, and no container gets it (rule uplink)");
    }

    @Test
    void namesTheCommandsWhereOneIsMissing() {
        assertThat(cli.execute("rdma")).isEqualTo(ExitCode.USAGE);
        assertThat(cli.err()).contains("show", "check", "summary", "snapshot");
    }
}
