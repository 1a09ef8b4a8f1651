package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.DeviceConfig.Source;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Grant;
import io.imexagent.kubernetes.DeviceReports;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.watch.RdmaView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RailPlannerTest {

    @TempDir
    Path root;

    private RdmaTree tree;
    private Ledger ledger = Trays.noClaims();

    @BeforeEach
    void aTray() {
        tree = RdmaTree.gb200(root);
    }

    @Test
    void aClaimForSeveralNicsGetsTheirNodesAndTheConnectionManagerAndNothingMore() throws IOException {
        Grant ready = ready(Trays.status(Trays.RDMA0, Trays.RDMA3));

        ClaimEdits edits = edits(ready);
        assertThat(edits.devices())
                .containsOnlyKeys(Trays.CLAIM.uid() + "-" + Trays.RDMA0, Trays.CLAIM.uid() + "-" + Trays.RDMA3);
        assertThat(edits.devices().get(Trays.CLAIM.uid() + "-" + Trays.RDMA0))
                .isEqualTo(device("mlx5_0", new ClaimEdits.DeviceNodeEdits("/dev/infiniband/uverbs0", 231, 192)));
        assertThat(edits.devices().get(Trays.CLAIM.uid() + "-" + Trays.RDMA3))
                .isEqualTo(device("mlx5_5", new ClaimEdits.DeviceNodeEdits("/dev/infiniband/uverbs5", 231, 197)));
        assertThat(edits.shared().nodes())
                .containsExactly(new ClaimEdits.DeviceNodeEdits("/dev/infiniband/rdma_cm", 10, 121));
        assertThat(edits.shared().environment()).containsExactly("NCCL_IB_HCA==mlx5_0,mlx5_5");
        assertThat(edits.file()).isEmpty();
        assertThat(edits.shared().mounts()).isEmpty();
        assertThat(edits.shared().interfaces()).isEmpty();
        assertThat(edits.shared().hooks()).isEmpty();
    }

    @Test
    void theKubeletIsToldEachDeviceWithItsCdiDevice() throws IOException {
        Grant ready = ready(Trays.status(Trays.RDMA0, Trays.RDMA1));

        assertThat(Trays.entry(Trays.status(), ready).devices())
                .map(PreparedDevice::returned)
                .map(PreparedDevice.ReturnedDevice::cdiDeviceIds)
                .containsExactly(
                        List.of("k8s.rdma.imexagent.io/claim=" + Trays.CLAIM.uid() + "-" + Trays.RDMA0),
                        List.of("k8s.rdma.imexagent.io/claim=" + Trays.CLAIM.uid() + "-" + Trays.RDMA1));
    }

    @Test
    void theGidIndexIsToldWhereTheNodeIsSetSoAndItIsTheSameOnAll() throws IOException {
        assertThat(environmentWithIndex(Trays.RDMA0, Trays.RDMA1))
                .containsExactly("NCCL_IB_HCA==mlx5_0,mlx5_1", "NCCL_IB_GID_INDEX=3");

        tree.change("mlx5_1", nic -> nic.ipv4("10.1.7.1/31"));
        tree.file(tree.pciFolder("mlx5_1") + "/infiniband/mlx5_1/ports/1/gid_attrs/types/3", "IB/RoCE v1");

        assertThat(environmentWithIndex(Trays.RDMA0, Trays.RDMA1)).containsExactly("NCCL_IB_HCA==mlx5_0,mlx5_1");
    }

    @Test
    void ncclIsToldToLookForIpv6WhereNothingElseIsThere() throws IOException {
        tree.change("mlx5_0", nic -> nic.withoutAddress().ipv4("fd00:1::1/64"));

        assertThat(edits(ready(Trays.status(Trays.RDMA0))).shared().environment())
                .containsExactly("NCCL_IB_HCA==mlx5_0", "NCCL_IB_ADDR_FAMILY=AF_INET6");
        assertThat(edits(ready(Trays.status(Trays.RDMA0, Trays.RDMA1))).shared().environment())
                .containsExactly("NCCL_IB_HCA==mlx5_0,mlx5_1");
        assertThat(environmentWithIndex(Trays.RDMA0)).containsExactly("NCCL_IB_HCA==mlx5_0", "NCCL_IB_GID_INDEX=3");
    }

    @Test
    void whatThePodMaySetStandsInAFileThatNcclReadsAndNotInTheEnvironment() throws IOException {
        var status = Trays.status(List.of(Trays.config(Source.FROM_CLAIM, "unlessSet")), Trays.RDMA0);

        ClaimEdits edits = edits(ready(status, Optional.of("/etc/nccl-topo.xml")));

        assertThat(edits.shared().environment()).containsExactly("NCCL_CONF_FILE=/run/imex-agent/nccl.conf");
        assertThat(edits.file())
                .contains(new ClaimEdits.ClaimFile(
                        "/run/imex-agent/nccl.conf",
                        List.of("NCCL_IB_HCA==mlx5_0", "NCCL_TOPO_FILE=/etc/nccl-topo.xml", "NCCL_DEBUG=WARN")));
        assertThat(edits.shared().mounts())
                .containsExactly(new ClaimEdits.Mount("/etc/nccl-topo.xml", "/etc/nccl-topo.xml"));
    }

    @Test
    void aPodThatMaySetAllThereIsGetsNoFileWhereThereIsNothing() throws IOException {
        var status = Trays.status(List.of(Trays.config(Source.FROM_CLAIM, "quietUnlessSet")), Trays.RDMA0);

        ClaimEdits edits = edits(ready(status));

        assertThat(edits.shared().environment()).isEmpty();
        assertThat(edits.file()).isEmpty();
    }

    @Test
    void anExplicitConfigurationWins() throws IOException {
        var status = Trays.status(List.of(Trays.config(Source.FROM_CLAIM, "explicit")), Trays.RDMA0);

        assertThat(edits(ready(status, Optional.of("/etc/nccl-topo.xml"))).shared())
                .isEqualTo(new ClaimEdits.Edits(
                        List.of(new ClaimEdits.DeviceNodeEdits("/dev/infiniband/rdma_cm", 10, 121)),
                        List.of(
                                "NCCL_IB_HCA==mlx5_9",
                                "NCCL_IB_GID_INDEX=5",
                                "NCCL_TOPO_FILE=/workspace/topo.xml",
                                "NCCL_DEBUG=WARN"),
                        List.of(),
                        List.of(),
                        List.of()));
    }

    @Test
    void theNodesTopologyFileIsMountedAndToldWhereItIsThere() throws IOException {
        ClaimEdits.Edits shared = edits(ready(Trays.status(Trays.RDMA0), Optional.of("/etc/nccl-topo.xml")))
                .shared();

        assertThat(shared.environment()).contains("NCCL_TOPO_FILE=/etc/nccl-topo.xml");
        assertThat(shared.mounts()).containsExactly(new ClaimEdits.Mount("/etc/nccl-topo.xml", "/etc/nccl-topo.xml"));
    }

    @Test
    void aClaimThatWantsNoEnvironmentGetsNone() throws IOException {
        var status = Trays.status(List.of(Trays.config(Source.FROM_CLAIM, "quiet")), Trays.RDMA0);

        ClaimEdits.Edits shared =
                edits(ready(status, Optional.of("/etc/nccl-topo.xml"))).shared();
        assertThat(shared.environment()).isEmpty();
        assertThat(shared.mounts()).isEmpty();
    }

    @Test
    void managementNodesAreAnAdministratorsToGrant() throws IOException {
        var byUser = Trays.status(List.of(Trays.config(Source.FROM_CLAIM, "management")), Trays.RDMA0);
        var byClass = Trays.status(List.of(Trays.config(Source.FROM_CLASS, "management")), Trays.RDMA0);
        tree.file("sys/class/infiniband_mad/umad0/ibdev", "mlx5_0").file("sys/class/infiniband_mad/umad0/dev", "231:0");

        assertThat(refusal(byUser).code()).isEqualTo(RefusalCode.MANAGEMENT_NODES);
        assertThat(edits(ready(byClass))
                        .devices()
                        .firstEntry()
                        .getValue()
                        .edits()
                        .nodes())
                .map(ClaimEdits.DeviceNodeEdits::path)
                .containsExactly("/dev/infiniband/uverbs0", "/dev/infiniband/umad0");
    }

    @Test
    void oneClaimHasOneConfiguration() throws IOException {
        var allocation = new Allocation(
                List.of(
                        DraSpecimens.allocated("a", RailDriver.NAME, Trays.POOL, Trays.RDMA0),
                        DraSpecimens.allocated("b", RailDriver.NAME, Trays.POOL, Trays.RDMA1)),
                List.of(Trays.config(Source.FROM_CLAIM, "quiet", "a")),
                Optional.empty(),
                Optional.empty());

        Refusal refusal = refusal(new ClaimStatus(Optional.of(allocation), List.of(), List.of()));
        assertThat(refusal.code()).isEqualTo(RefusalCode.CONFIG_MISMATCH);
        assertThat(refusal.message()).contains("\"a\"", "\"b\"");
    }

    @Test
    void aBrokenConfigurationIsRefusedWithItsPlace() throws IOException {
        Refusal refusal = refusal(Trays.status(List.of(Trays.config(Source.FROM_CLAIM, "nonsense")), Trays.RDMA0));

        assertThat(refusal.code()).isEqualTo(RefusalCode.CONFIG_INVALID);
        assertThat(refusal.message()).startsWith("config[0].opaque.parameters of the allocation: field \"mode\"");
    }

    @Test
    void aClaimOfAnotherDriverAloneHasNothingToPrepare() throws IOException {
        var allocation = new Allocation(
                List.of(DraSpecimens.allocated("gpu", "gpu.nvidia.com", Trays.POOL, "gpu-0")),
                List.of(),
                Optional.empty(),
                Optional.empty());

        assertThat(refusal(new ClaimStatus(Optional.of(allocation), List.of(), List.of()))
                        .code())
                .isEqualTo(RefusalCode.NO_DEVICE);
    }

    @Test
    void aDeviceOfAnotherPoolOrMakeIsRefused() throws IOException {
        var foreign = new Allocation(
                List.of(DraSpecimens.allocated("nics", RailDriver.NAME, "tray-2", Trays.RDMA0)),
                List.of(),
                Optional.empty(),
                Optional.empty());

        assertThat(refusal(new ClaimStatus(Optional.of(foreign), List.of(), List.of()))
                        .code())
                .isEqualTo(RefusalCode.FOREIGN_POOL);
        assertThat(refusal(Trays.status("rail-../../etc")).code()).isEqualTo(RefusalCode.DEVICE_NOT_PUBLISHED);
    }

    @Test
    void aRailThatIsDownIsRefusedWithTheReasonAndWaitedFor() throws IOException {
        tree.change("mlx5_1", nic -> nic.port("1: DOWN", "3: Disabled"));

        Refusal refusal = refusal(Trays.status(Trays.RDMA1));

        assertThat(refusal.code()).isEqualTo(RefusalCode.RAIL_NOT_OFFERED);
        assertThat(refusal.message()).contains(Trays.RDMA1, "mlx5_1 is dropped: ", "DOWN");
    }

    @Test
    void aNicThatIsGoneIsRefused() throws IOException {
        tree.remove("mlx5_1");

        assertThat(refusal(Trays.status(Trays.RDMA1)).message()).contains("no RDMA device at this PCI address");
    }

    @Test
    void anUplinkIsRefusedThoughItIsAllocated() throws IOException {
        tree.defaultRoute("rdma0");

        assertThat(refusal(Trays.status(Trays.RDMA0)).message()).contains("carries the IPv4 default route");
    }

    @Test
    void exclusiveNamespacesAreRefusedByName() throws IOException {
        tree.file("sys/module/ib_core/parameters/netns_mode", "N");

        Refusal refusal = refusal(Trays.status(Trays.RDMA0));
        assertThat(refusal.code()).isEqualTo(RefusalCode.RDMA_NAMESPACES);
        assertThat(refusal.message()).contains("rdma system set netns shared");
    }

    @Test
    void nothingIsHandedOutBeforeTheNodeWasRead() {
        Outcome<Grant> outcome = Trays.plan(Trays.CLAIM, Trays.status(Trays.RDMA0), ledger, Optional.empty());

        assertThat(outcome.refusal()).map(Refusal::code).contains(RefusalCode.RAILS_UNKNOWN);
    }

    @Test
    void aRailThatAnotherClaimHoldsIsRefusedUnlessOneOfThemHasAdminAccess() throws IOException {
        ledger = ledger.with(Trays.entry(Trays.status(Trays.RDMA0), ready(Trays.status(Trays.RDMA0))));
        ClaimRef other =
                new ClaimRef(new ClaimName("team", "other"), new ClaimUid("00000000-0000-4000-8000-000000000008"));

        Refusal refused = Trays.plan(other, Trays.status(Trays.RDMA0), ledger, Optional.of(Trays.view(tree)))
                .refusal()
                .orElseThrow();
        assertThat(refused.code()).isEqualTo(RefusalCode.RAIL_HELD);
        assertThat(refused.message()).contains("wait until the pod of claim team/rails has ended");
        assertThat(Trays.plan(other, admin(Trays.RDMA0), ledger, Optional.of(Trays.view(tree))))
                .isInstanceOf(Outcome.Accepted.class);
    }

    @Test
    void aGrantFollowsTheNumbersAndALinkThatIsDown() throws IOException {
        ClaimEntry.Completed entry = Trays.entry(Trays.status(Trays.RDMA0), ready(Trays.status(Trays.RDMA0)));
        tree.renumberUverbs();
        tree.change("mlx5_0", nic -> nic.port("1: DOWN", "3: Disabled"));

        ClaimEdits edits = RailPlanner.edits(Trays.POOL, entry, Optional.of(Trays.view(tree)), Trays.UNABLE)
                .orElseThrow();

        assertThat(edits.devices().firstEntry().getValue())
                .isEqualTo(device("mlx5_0", new ClaimEdits.DeviceNodeEdits("/dev/infiniband/uverbs7", 231, 199)));
    }

    @Test
    void aGrantOfANicThatIsGoneLeavesTheSpecAlone() throws IOException {
        ClaimStatus status = Trays.status(Trays.RDMA0, Trays.RDMA1);
        ClaimEntry.Completed entry = Trays.entry(status, ready(status));
        tree.remove("mlx5_1");

        assertThat(RailPlanner.edits(Trays.POOL, entry, Optional.of(Trays.view(tree)), Trays.UNABLE))
                .isEmpty();
    }

    @Test
    void whatWasPromisedIsToldByTheStatusAlone() throws IOException {
        ClaimStatus status = Trays.status(Trays.RDMA0, Trays.RDMA1);

        assertThat(RailPlanner.promise(Trays.POOL, Trays.CLAIM.uid(), status))
                .isEqualTo(Outcome.accepted(ready(status).groups()));
    }

    @Test
    void aNodeWithoutRdmaCmGivesTheVerbsNodesAlone() throws IOException {
        tree.without("sys/class/misc/rdma_cm");

        assertThat(edits(ready(Trays.status(Trays.RDMA0))).shared().nodes()).isEmpty();
    }

    @Test
    void ncclIbHcaIsExactBesideANameThatIsAPrefix() throws IOException {
        tree.add(new FixtureNic("mlx5_10", "0022:03:00.0", "rdma10").ipv4("10.1.10.1/31"));

        assertThat(edits(ready(Trays.status(Trays.RDMA1))).shared().environment())
                .contains("NCCL_IB_HCA==mlx5_1");
    }

    private static ClaimEdits.DeviceEdits device(String name, ClaimEdits.DeviceNodeEdits node) {
        return new ClaimEdits.DeviceEdits(
                name, new ClaimEdits.Edits(List.of(node), List.of(), List.of(), List.of(), List.of()));
    }

    private static ClaimStatus admin(String device) {
        AllocatedDevice plain = DraSpecimens.allocated("nics", RailDriver.NAME, Trays.POOL, device);
        var allocation = new Allocation(
                List.of(new AllocatedDevice(
                        plain.request(),
                        plain.driver(),
                        plain.pool(),
                        plain.device(),
                        Optional.of(true),
                        plain.tolerations(),
                        plain.bindingConditions(),
                        plain.bindingFailureConditions(),
                        plain.shareId(),
                        plain.consumedCapacity())),
                List.of(),
                Optional.empty(),
                Optional.empty());
        return new ClaimStatus(Optional.of(allocation), List.of(), List.of());
    }

    private Grant ready(ClaimStatus status) throws IOException {
        return ready(status, Optional.empty());
    }

    private Grant ready(ClaimStatus status, Optional<String> topologyFile) throws IOException {
        return Trays.plan(Trays.CLAIM, status, ledger, Optional.of(Trays.view(tree, topologyFile, Settings.OFF)))
                .toOptional()
                .orElseThrow();
    }

    @Test
    void theStatusOfTheClaimNamesInterfaceAddressesAndMac() throws IOException {
        Optional<RdmaView> view = Optional.of(Trays.view(tree, Optional.empty(), Settings.TELLING_THE_GID_INDEX));
        Nic nic = view.get().inventory().readNics().stream()
                .filter(one -> one.name().text().equals("mlx5_0"))
                .findFirst()
                .orElseThrow();

        DeviceReports.Facts facts = RailPlanner.facts(Trays.RDMA0, view);

        assertThat(facts.data()).contains(new JsonText("{\"rdmaDevice\":\"mlx5_0\"}"));
        DeviceReports.Network network = facts.network().orElseThrow();
        assertThat(network.interfaceName())
                .isEqualTo(nic.interfaceName().orElseThrow().text());
        assertThat(network.mac()).isEqualTo(nic.netdev().orElseThrow().mac());
        assertThat(network.addresses()).containsExactly("10.1.0.1/31");
    }

    @Test
    void ofARailThatIsGoneTheStatusOfTheClaimSaysNoMore() throws IOException {
        Optional<RdmaView> view = Optional.of(Trays.view(tree, Optional.empty(), Settings.TELLING_THE_GID_INDEX));

        assertThat(RailPlanner.facts("rail-0000-99-00-0", view)).isEqualTo(DeviceReports.Facts.PREPARED);
        assertThat(RailPlanner.facts(Trays.RDMA0, Optional.empty())).isEqualTo(DeviceReports.Facts.PREPARED);
    }

    private List<String> environmentWithIndex(String... devices) throws IOException {
        RdmaView view = Trays.view(tree, Optional.empty(), Settings.TELLING_THE_GID_INDEX);
        return edits(Trays.plan(Trays.CLAIM, Trays.status(devices), ledger, Optional.of(view))
                        .toOptional()
                        .orElseThrow())
                .shared()
                .environment();
    }

    private Refusal refusal(ClaimStatus status) throws IOException {
        return Trays.plan(Trays.CLAIM, status, ledger, Optional.of(Trays.view(tree)))
                .refusal()
                .orElseThrow();
    }

    private static ClaimEdits edits(Grant grant) {
        return grant.edits();
    }
}
