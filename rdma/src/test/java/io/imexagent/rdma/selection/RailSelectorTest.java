package io.imexagent.rdma.selection;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.inventory.RdmaInventory.GpuPlace;
import io.imexagent.rdma.inventory.RdmaInventory.Uplinks;
import io.imexagent.rdma.selection.Choice.DropCause;
import io.imexagent.rdma.selection.Choice.NicClass;
import io.imexagent.rdma.selection.Choice.SelectionRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RailSelectorTest {

    @TempDir
    Path root;

    private RdmaTree tree;

    @BeforeEach
    void layOut() {
        tree = RdmaTree.gb200(root);
    }

    @Test
    void putsEveryNicOfTheTrayIntoItsClass() throws IOException {
        Selection selection = Selections.of(tree);

        assertThat(selection.verdicts())
                .extracting(verdict ->
                        verdict.reading().label() + " " + verdict.nicClass().text())
                .containsExactly(
                        "mlx5_0 rail",
                        "mlx5_1 rail",
                        "mlx5_2 uplink",
                        "mlx5_3 storage",
                        "mlx5_4 rail",
                        "mlx5_5 rail",
                        "mlx5_6 uplink",
                        "mlx5_7 storage");
        assertThat(selection.findings()).isEmpty();
        assertThat(Selections.dropped(selection, "mlx5_2").reason()).isEqualTo("bond0 carries the IPv4 default route");
        assertThat(Selections.dropped(selection, "mlx5_3").reason())
                .isEqualTo("its PCI device 15b3:a2dc is one for storage");
    }

    @Test
    void namesARailByItsPlace() throws IOException {
        assertThat(Selections.of(tree).rails())
                .extracting(Rail::deviceName)
                .containsExactly("rail-0000-03-00-0", "rail-0002-03-00-0", "rail-0010-03-00-0", "rail-0012-03-00-0");
    }

    @Test
    void onGraceOnlyTheNumaNodeTellsWhichGpusAreNear() throws IOException {
        Rail rail = Selections.rail(Selections.of(tree), "rdma2");

        assertThat(rail.distance()).isEqualTo(GpuPlace.Distance.SAME_NUMA_NODE);
        assertThat(rail.nearestGpus()).extracting(GpuPlace::index).containsExactly(2, 3);
    }

    @Test
    void aGpuOfTheSameRootIsNearerThanThoseOfTheNumaNode() throws IOException {
        tree.gpu("0000:06:00.0", 0, "0000:00:01.0");

        Rail rail = Selections.rail(Selections.of(tree), "rdma0");

        assertThat(rail.distance()).isEqualTo(GpuPlace.Distance.SAME_ROOT);
        assertThat(rail.nearestGpus()).extracting(GpuPlace::index).containsExactly(4);
    }

    @Test
    void aGpuBehindTheSameSwitchIsNearerThanThatOfTheSameRoot() throws IOException {
        tree.gpu("0000:06:00.0", 0).gpu("0000:07:00.0", 0, "0000:00:01.0");

        Rail rail = Selections.rail(Selections.of(tree), "rdma0");

        assertThat(rail.distance()).isEqualTo(GpuPlace.Distance.SAME_SWITCH);
        assertThat(rail.nearestGpus()).extracting(GpuPlace::index).containsExactly(4);
    }

    @Test
    void ofTwoTiersOfSwitchesTheGpusOfTheOwnSwitchAreNearest() throws IOException {
        tree.change("mlx5_0", nic -> nic.below("0000:00:00.0", "0000:01:00.0", "0000:02:00.0", "0000:04:00.0"))
                .gpu("0000:06:00.0", 0, "0000:00:00.0", "0000:01:00.0", "0000:02:01.0", "0000:05:00.0")
                .gpu("0000:07:00.0", 0, "0000:00:00.0", "0000:01:00.0", "0000:02:00.0", "0000:04:01.0")
                .gpu("0000:08:00.0", 0, "0000:00:00.0", "0000:01:00.0", "0000:02:00.0", "0000:04:02.0");

        Rail rail = Selections.rail(Selections.of(tree), "rdma0");

        assertThat(rail.distance()).isEqualTo(GpuPlace.Distance.SAME_SWITCH);
        assertThat(rail.nearestGpus()).extracting(GpuPlace::index).containsExactly(5, 6);
    }

    @Test
    void withoutNumaNodesNoGpuIsNear() throws IOException {
        tree.change("mlx5_0", nic -> nic.numaNode(-1)).gpu("0028:06:00.0", -1);

        Rail rail = Selections.rail(Selections.of(tree), "rdma0");

        assertThat(rail.distance()).isEqualTo(GpuPlace.Distance.SYSTEM);
        assertThat(rail.nearestGpus()).isEmpty();
    }

    @Test
    void nativeInfiniBandNeedsALidAndNoAddress() throws IOException {
        tree.change("mlx5_0", nic -> nic.infiniband("0x0011")).change("mlx5_1", nic -> nic.infiniband("0x0000"));

        Selection selection = Selections.of(tree);

        Rail rail = Selections.rail(selection, "rdma0");
        assertThat(rail.gid()).isEmpty();
        assertThat(rail.port().lid()).hasValue(17);
        assertThat(Rail.ncclGidIndex(selection.rails())).isEmpty();
        assertCause(selection, "mlx5_1", DropCause.NO_LID);
    }

    @Test
    void anInfiniBandPortThatIsNotActiveIsUnusable() throws IOException {
        tree.change("mlx5_0", nic -> nic.infiniband("0x0011").port("2: INIT", "5: LinkUp"));

        Selection selection = Selections.of(tree);

        assertCause(selection, "mlx5_0", DropCause.PORT_DOWN);
        assertThat(Selections.dropped(selection, "mlx5_0").reason()).isEqualTo("port 1 is INIT (LinkUp)");
    }

    @Test
    void aPortThatIsDownIsUnusable() throws IOException {
        tree.change("mlx5_0", nic -> nic.port("1: DOWN", "3: Disabled"));

        assertCause(Selections.of(tree), "mlx5_0", DropCause.PORT_DOWN);
        assertThat(DropCause.PORT_DOWN.isPassing()).isTrue();
    }

    @Test
    void aNetdevThatWasMovedAwayLeavesItsNicUnusable() throws IOException {
        tree.change("mlx5_0", FixtureNic::withoutNetdev);

        assertCause(Selections.of(tree), "mlx5_0", DropCause.NO_NETDEV);
    }

    @Test
    void aNicOnVfioHasNoRdmaDevice() throws IOException {
        Selection selection = Selections.of(tree.bindToVfio("mlx5_0"));

        assertCause(selection, "0000:03:00.0", DropCause.NO_RDMA_DEVICE);
        assertThat(Selections.dropped(selection, "0000:03:00.0").reason())
                .isEqualTo("it has no RDMA device: it is bound to vfio-pci");
        assertThat(DropCause.NO_RDMA_DEVICE.isPassing()).isFalse();
    }

    @Test
    void theSecondFunctionOfAnUplinksBondIsNoFault() throws IOException {
        String place = "pci0006:00/0006:00:00.0/0006:03:00.1";
        tree.remove("mlx5_3")
                .function(place, "0x020000", "15b3:a2dc", "mlx5_core")
                .slave(place, "enP6p3s0f1np1", "bond0");

        Choice.DroppedNic dropped = Selections.dropped(Selections.of(tree), "0006:03:00.1");
        assertThat(dropped.rule()).isEqualTo(SelectionRule.UPLINK);
        assertThat(dropped.reason()).isEqualTo("enP6p3s0f1np1 is tied to bond0, which carries the IPv4 default route");

        tree.bonding("bond0");
        assertThat(Selections.of(tree).verdicts())
                .extracting(verdict -> verdict.reading().label())
                .doesNotContain("0006:03:00.1");
    }

    @Test
    void anUplinkWithoutAnRdmaDeviceIsAnUplinkWhateverIncludeSays() throws IOException {
        String place = "pci0007:00/0007:00:00.0/0007:03:00.0";
        tree.function(place, "0x020000", "15b3:1021", "mlx5_core")
                .netdev(place, "ens7")
                .ipv6DefaultRoute("ens7");

        assertThat(Selections.dropped(Selections.of(tree), "0007:03:00.0"))
                .returns(SelectionRule.UPLINK, Choice.DroppedNic::rule)
                .returns("ens7 carries the IPv6 default route", Choice.DroppedNic::reason);
        assertThat(Selections.rails(Selections.of(tree))).doesNotContain("ens7");
    }

    @Test
    void aVirtualFunctionIsOfferedOnlyByName() throws IOException {
        tree.add(new FixtureNic("mlx5_8", "0000:03:00.2", "rdma0v0")
                .virtualFunctionOf("0000:03:00.0")
                .ipv4("10.5.0.1/31"));

        assertThat(Selections.dropped(Selections.of(tree), "mlx5_8").rule()).isEqualTo(SelectionRule.VIRTUAL_FUNCTION);
        assertThat(Selections.rails(Selections.of(tree, Selections.including("mlx5_8"))))
                .containsExactly("rdma0v0");
    }

    @Test
    void aStorageNicIsOfferedOnlyByName() throws IOException {
        assertThat(Selections.rails(Selections.of(tree, Selections.including("enP6p3s0f1"))))
                .containsExactly("enP6p3s0f1");
    }

    @Test
    void theOperatorSaysWhichPciDevicesAreForStorageInEitherCase() throws IOException {
        Selection selection = Selections.of(tree, Settings.with("", List.of(), false, List.of("15B3:1021"), false));

        assertThat(Selections.rails(selection)).containsExactly("enP6p3s0f1");
        assertThat(Selections.dropped(selection, "mlx5_0").rule()).isEqualTo(SelectionRule.STORAGE);
    }

    @Test
    void anUplinkOnAnMlx5Eth0IsProtectedWhateverThePattern() throws IOException {
        tree.add(new FixtureNic("mlx5_8", "0020:03:00.0", "eth0").ipv4("10.7.0.1/24"))
                .defaultRoute("eth0");

        Selection selection = Selections.of(tree, Selections.excludingNothing());

        assertThat(Selections.dropped(selection, "mlx5_8").rule()).isEqualTo(SelectionRule.UPLINK);
    }

    @Test
    void anIncludeListDoesNotOverrideTheProtectionOfUplinks() throws IOException {
        tree.defaultRoute("rdma0");

        Selection selection = Selections.of(tree, Selections.including("rdma0", "rdma1"));

        assertThat(Selections.rails(selection)).containsExactly("rdma1");
        assertThat(Selections.dropped(selection, "mlx5_0").rule()).isEqualTo(SelectionRule.UPLINK);
    }

    @Test
    void theSwitchThatOverridesItIsTold() throws IOException {
        tree.defaultRoute("rdma0");

        Selection selection = Selections.of(tree, Selections.includingUplinks("rdma0"));

        assertThat(Selections.rails(selection)).containsExactly("rdma0");
        assertThat(Selections.codes(selection)).containsExactly("rdma-uplink-included", "rdma-next-hops-unknown");
        assertThat(selection.findings().getFirst().message())
                .isEqualTo("mlx5_0 is offered although rdma0 carries the IPv4 default route: rdma.include and"
                        + " rdma.includeUplinks say so");
    }

    @Test
    void theSwitchAloneOverridesNothing() throws IOException {
        tree.defaultRoute("rdma0");

        assertThat(Selections.rails(Selections.of(tree, Selections.includingUplinks())))
                .containsExactly("rdma1", "rdma2", "rdma3");
    }

    @Test
    void bothNextHopsOfAnEcmpRouteAreUplinks() throws IOException {
        tree.ipv6DefaultRoute("rdma0").ipv6DefaultRoute("rdma1");

        assertThat(Selections.rails(Selections.of(tree))).containsExactly("rdma2", "rdma3");
    }

    @Test
    void ofAnIpv4EcmpRouteTheSecondNextHopIsToldByTheOperatorAlone() throws IOException {
        tree.withoutDefaultRoute().ecmpDefaultRoute("rdma0", "rdma1");

        Selection blind = Selections.of(tree);
        assertThat(Selections.rails(blind)).containsExactly("rdma1", "rdma2", "rdma3");
        assertThat(blind.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.code()).isEqualTo("rdma-next-hops-unknown");
            assertThat(finding.severity()).isEqualTo(Severity.INFO);
            assertThat(finding.message()).startsWith("the IPv4 default route leaves through rdma0 (mlx5_0); if it has");
            assertThat(finding.remedy()).contains("rdma.uplinks");
        });

        Selection protecting = Selections.of(tree, Settings.withUplinks(List.of("rdma1"), List.of()));
        assertThat(Selections.rails(protecting)).containsExactly("rdma2", "rdma3");
        assertThat(Selections.dropped(protecting, "mlx5_1").reason()).isEqualTo("rdma1 is configured as an uplink");
        assertThat(protecting.findings()).isEmpty();
    }

    @Test
    void aDefaultRouteOverABondHasItsSecondLinkThere() throws IOException {
        assertThat(((Uplinks.KnownUplinks) Selections.scan(tree).uplinks()).firstHops())
                .containsExactly(new InterfaceName("bond0"));
        assertThat(Selections.codes(Selections.of(tree))).isEmpty();
    }

    @Test
    void uplinksAreFoundAnewAtEachScan() throws IOException {
        assertThat(Selections.rails(Selections.of(tree))).contains("rdma0");

        tree.defaultRoute("rdma0");
        assertThat(Selections.rails(Selections.of(tree))).doesNotContain("rdma0");

        tree.withoutDefaultRoute();
        assertThat(Selections.rails(Selections.of(tree))).contains("rdma0");
    }

    @Test
    void whereUplinksCannotBeToldNothingIsOffered() throws IOException {
        RdmaInventory inventory = Selections.scan(tree.without("proc/net/route"));
        assertThat(inventory.uplinks()).isInstanceOf(Uplinks.UnknownUplinks.class);

        Selection selection = new RailSelector(Settings.OFF).select(inventory);

        assertThat(selection.rails()).isEmpty();
        assertCause(selection, "mlx5_0", DropCause.UPLINKS_UNKNOWN);
        assertThat(Selections.codes(selection)).containsExactly("rdma-uplinks-unknown");
    }

    @Test
    void aGlobalIpv6GidIsUsableToo() throws IOException {
        String port =
                tree.change("mlx5_0", FixtureNic::withoutAddress).pciFolder("mlx5_0") + "/infiniband/mlx5_0/ports/1";
        tree.file(port + "/gids/5", "2001:0db8:0000:0000:0000:0000:0000:0001")
                .file(port + "/gid_attrs/types/5", "RoCE v2")
                .file(port + "/gid_attrs/ndevs/5", "rdma0");

        Selection selection = Selections.of(tree, Selections.strict());

        assertThat(Selections.rail(selection, "rdma0").gid())
                .hasValueSatisfying(gid -> assertThat(gid.index()).isEqualTo(5));
        assertThat(Rail.ncclGidIndex(selection.rails())).isEmpty();
    }

    @Test
    void aNicWithoutAUverbsNodeIsUnusable() throws IOException {
        assertCause(Selections.of(tree.without("sys/class/infiniband_verbs/uverbs0")), "mlx5_0", DropCause.NO_UVERBS);
    }

    @Test
    void renumberedNodesStayWithTheirDevices() throws IOException {
        Selection selection = Selections.of(tree.renumberUverbs());

        assertThat(selection.rails())
                .extracting(rail -> rail.nic().name() + " " + rail.uverbs().name())
                .containsExactly("mlx5_0 uverbs7", "mlx5_1 uverbs6", "mlx5_4 uverbs3", "mlx5_5 uverbs2");
    }

    @Test
    void withoutRdmaCmThatIsTold() throws IOException {
        assertThat(Selections.codes(Selections.of(tree.without("sys/class/misc/rdma_cm"))))
                .containsExactly("rdma-cm-missing");
    }

    @Test
    void withoutRailsNcclIsToldNothing() throws IOException {
        Selection selection = Selections.of(RdmaTree.empty(root.resolve("bare")));

        assertThat(Rail.ncclIbHca(selection.rails())).isEqualTo(Optional.empty());
        assertThat(Rail.ncclGidIndex(selection.rails())).isEmpty();
        assertThat(selection.findings()).isEmpty();
    }

    private static void assertCause(Selection selection, String label, DropCause cause) {
        assertThat(Selections.verdict(selection, label).nicClass()).isEqualTo(NicClass.UNUSABLE);
        assertThat(Selections.dropped(selection, label).cause()).contains(cause);
        assertThat(Selections.dropped(selection, label).rule()).isEqualTo(SelectionRule.UNUSABLE);
    }
}
