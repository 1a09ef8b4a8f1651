package io.imexagent.rdma.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import io.imexagent.rdma.fixture.FaultyFiles;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.inventory.RdmaInventory.GpuDirect;
import io.imexagent.rdma.inventory.RdmaInventory.NetnsMode;
import io.imexagent.rdma.inventory.RdmaInventory.Uplinks;
import io.imexagent.rdma.setting.RdmaSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RdmaProbeTest {

    private static final InterfaceName BOND = new InterfaceName("bond0");

    @TempDir
    Path root;

    @Test
    void joinsAllNamesOfANic() throws IOException {
        RdmaInventory inventory = Scans.of(RdmaTree.gb200(root));

        Nic nic = Scans.nic(inventory, "mlx5_4");
        assertThat(nic.pci().address()).hasToString("0010:03:00.0");
        assertThat(nic.pci().path().root()).isEqualTo("pci0010:00");
        assertThat(nic.pci().numaNode()).hasValue(1);
        assertThat(nic.pci().id()).hasToString("Optional[15b3:1021]");
        assertThat(nic.pci().driver()).contains("mlx5_core");
        assertThat(nic.uverbs()).hasValueSatisfying(uverbs -> {
            assertThat(uverbs.path()).isEqualTo("/dev/infiniband/uverbs4");
            assertThat(uverbs.number()).isEqualTo("231:196");
        });
        assertThat(nic.netdev()).hasValueSatisfying(netdev -> {
            assertThat(netdev.name()).hasToString("rdma2");
            assertThat(netdev.mac()).contains("a2:88:c2:00:10:03");
            assertThat(netdev.mtu()).hasValue(9000);
        });
        assertThat(nic.ipv4()).map(Object::toString).containsExactly("10.1.2.1");
        assertThat(nic.ports()).singleElement().satisfies(port -> {
            assertThat(port.linkLayer()).isEqualTo(Port.LinkLayer.ETHERNET);
            assertThat(port.isActive()).isTrue();
            assertThat(port.physicalState()).contains("LinkUp");
            assertThat(port.gbps()).hasValue(400.0);
            assertThat(port.gids()).hasSize(4);
            assertThat(port.bestGid(nic.interfaceName()))
                    .hasValueSatisfying(gid -> assertThat(gid.index()).isEqualTo(3));
        });
    }

    @Test
    void readsTheHostAroundTheNics() throws IOException {
        RdmaInventory inventory = Scans.of(RdmaTree.gb200(root));

        assertThat(inventory.nics())
                .hasSize(8)
                .allSatisfy(reading -> assertThat(reading).isInstanceOf(NicReading.ReadNic.class));
        assertThat(inventory.gpus())
                .extracting(gpu -> gpu.path().function().toString())
                .containsExactly("0008:06:00.0", "0009:06:00.0", "0018:06:00.0", "0019:06:00.0");
        assertThat(inventory.rdmaCm()).contains(new DeviceNodeEdits("/dev/infiniband/rdma_cm", 10, 121));
        assertThat(inventory.netnsMode()).isEqualTo(new NetnsMode.SharedNetns());
        assertThat(inventory.subnets().get(new InterfaceName("rdma0")))
                .map(Object::toString)
                .containsExactly("10.1.0.0/31");
    }

    @Test
    void findsTheBondOfTheDefaultRouteAndItsMembers() throws IOException {
        assertThat(uplinks(RdmaTree.gb200(root)))
                .containsOnlyKeys(BOND, new InterfaceName("enP6p3s0f0"), new InterfaceName("enP22p3s0f0"))
                .containsEntry(BOND, "carries the IPv4 default route")
                .containsEntry(
                        new InterfaceName("enP6p3s0f0"), "is tied to bond0, which carries the IPv4 default route");
    }

    @Test
    void findsAllNextHopsOfAnIpv6Route() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root).ipv6DefaultRoute("rdma0").ipv6DefaultRoute("rdma1");

        assertThat(uplinks(tree))
                .containsEntry(new InterfaceName("rdma0"), "carries the IPv6 default route")
                .containsKey(new InterfaceName("rdma1"));
    }

    @Test
    void findsWhatIsStackedInBothDirections() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root)
                .withoutDefaultRoute()
                .stack("rdma0.100", "rdma0")
                .stack("br0", "rdma0.100")
                .stack("macvlan0", "rdma0")
                .defaultRoute("br0");

        assertThat(uplinks(tree).keySet())
                .map(InterfaceName::text)
                .containsExactlyInAnyOrder("br0", "rdma0.100", "rdma0", "macvlan0");
    }

    @Test
    void findsTheOwnerOfTheNodesAddresses() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root).withoutDefaultRoute();
        RdmaSettings settings = Settings.withUplinks(List.of("rdma3"), List.of("10.1.1.1"));
        Set<InetAddress> addresses =
                Set.of(InetAddress.ofLiteral("192.168.7.20"), InetAddress.ofLiteral("2001:db8::5"));
        tree.file("proc/net/if_inet6", "20010db8000000000000000000000005 03 40 00 80     rdma2");

        assertThat(uplinks(tree, settings, addresses))
                .containsEntry(BOND, "is in the subnet of the node's address 192.168.7.20")
                .containsEntry(new InterfaceName("rdma1"), "owns the node's address 10.1.1.1")
                .containsKey(new InterfaceName("rdma2"))
                .containsEntry(new InterfaceName("rdma3"), "is configured as an uplink")
                .doesNotContainKey(new InterfaceName("rdma0"));
    }

    @Test
    void routesThatCannotBeReadLeaveTheUplinksUnknown() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root);

        assertThat(Scans.of(tree, faulty(tree).fail("proc/net/route", "Input/output error"))
                        .uplinks())
                .isInstanceOf(Uplinks.UnknownUplinks.class);
        assertThat(Scans.of(tree, faulty(tree).fail("proc/net/ipv6_route", "Input/output error"))
                        .uplinks())
                .isInstanceOf(Uplinks.UnknownUplinks.class);
        assertThat(Scans.of(tree.without("proc/net/ipv6_route")).uplinks()).isInstanceOf(Uplinks.KnownUplinks.class);
        assertThat(Scans.of(tree.without("proc/net/route")).uplinks()).isInstanceOf(Uplinks.UnknownUplinks.class);
    }

    @Test
    void aHostWithoutRdmaHasNoNics() throws IOException {
        assertThat(Scans.of(RdmaTree.empty(root).without("sys/class/infiniband"))
                        .nics())
                .isEmpty();
    }

    @Test
    void aListOfDevicesThatCannotBeReadIsAFailure() {
        RdmaTree tree = RdmaTree.gb200(root);

        assertThatThrownBy(() -> Scans.of(tree, faulty(tree).fail("sys/class/infiniband", "Permission denied")))
                .hasMessage("cannot read /sys/class/infiniband: Permission denied; make it readable for the agent");
    }

    @Test
    void aNicOnVfioIsToldByItsPciFunction() throws IOException {
        RdmaInventory inventory = Scans.of(RdmaTree.gb200(root).bindToVfio("mlx5_1"));

        assertThat(inventory.nics()).hasSize(8);
        assertThat(inventory.nics().getLast()).isInstanceOfSatisfying(NicReading.NicWithoutRdma.class, nic -> {
            assertThat(nic.label()).isEqualTo("0002:03:00.0");
            assertThat(nic.pci().driver()).contains("vfio-pci");
        });
    }

    @Test
    void aVirtualFunctionKnowsItsPhysicalOne() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root)
                .add(new FixtureNic("mlx5_8", "0000:03:00.2", "rdma0v0").virtualFunctionOf("0000:03:00.0"));

        assertThat(Scans.nic(Scans.of(tree), "mlx5_8").pci().physicalFunction()).hasToString("Optional[0000:03:00.0]");
    }

    @Test
    void aNodeWithoutNumaNodeHasNone() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root).change("mlx5_0", nic -> nic.numaNode(-1));

        assertThat(Scans.nic(Scans.of(tree), "mlx5_0").pci().numaNode()).isEmpty();
    }

    @Test
    void anAddressBehindEmptySlotsIsFound() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root)
                .change("mlx5_0", nic -> nic.withoutAddress().slots(256));
        String port = tree.pciFolder("mlx5_0") + "/infiniband/mlx5_0/ports/1";
        tree.file(port + "/gids/200", "0000:0000:0000:0000:0000:ffff:0a01:0001")
                .file(port + "/gid_attrs/types/200", "RoCE v2")
                .file(port + "/gid_attrs/ndevs/200", "rdma0");

        assertThat(Scans.nic(Scans.of(tree), "mlx5_0").ipv4())
                .map(Object::toString)
                .containsExactly("10.1.0.1");
    }

    @Test
    void theGidOfTheInterfaceComesBeforeThatOfAVlanUponIt() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root).change("mlx5_0", nic -> nic.ipv4("10.8.0.1/24"));
        tree.file(tree.pciFolder("mlx5_0") + "/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/3", "rdma0.100");

        Nic nic = Scans.nic(Scans.of(tree), "mlx5_0");

        assertThat(nic.ports().getFirst().bestGid(nic.interfaceName()))
                .hasValueSatisfying(gid -> assertThat(gid.index()).isEqualTo(5));
        assertThat(nic.netdevs()).map(InterfaceName::text).containsExactly("rdma0", "rdma0.100");
    }

    @Test
    void tellsHowGpusAreReached() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root);
        assertThat(Scans.of(tree).gpuDirect())
                .isEqualTo(new GpuDirect(
                        GpuDirect.GpuDirectMethod.DMA_BUF, "kernel 6.8.0-1021-nvidia-64k, open kernel modules"));

        tree.file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15");
        assertThat(Scans.of(tree).gpuDirect())
                .isEqualTo(new GpuDirect(
                        GpuDirect.GpuDirectMethod.NONE,
                        "no dma-buf: the NVIDIA driver is not that of the open kernel modules;"
                                + " no peermem: nvidia_peermem is not loaded"));

        tree.file("sys/module/nvidia_peermem/version", "550.54.15");
        assertThat(Scans.of(tree).gpuDirect())
                .isEqualTo(new GpuDirect(GpuDirect.GpuDirectMethod.PEERMEM, "nvidia_peermem 550.54.15 is loaded"));
    }

    @Test
    void tellsTheNamespaceMode() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root);

        assertThat(Scans.of(tree.file("sys/module/ib_core/parameters/netns_mode", "N"))
                        .netnsMode())
                .isEqualTo(new NetnsMode.ExclusiveNetns());
        assertThat(Scans.of(tree.without("sys/module/ib_core")).netnsMode())
                .isEqualTo(new NetnsMode.UnknownNetns("/sys/module/ib_core/parameters/netns_mode is missing"));
    }

    @Test
    void twoScansOfTheSameHostTellTheSame() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root);

        assertThat(Scans.of(tree)).isEqualTo(Scans.of(tree));
        assertThat(Scans.of(tree)).isNotEqualTo(Scans.of(tree.remove("mlx5_0")));
    }

    private Map<InterfaceName, String> uplinks(RdmaTree tree) throws IOException {
        return uplinks(tree, Settings.OFF, Set.of());
    }

    private Map<InterfaceName, String> uplinks(RdmaTree tree, RdmaSettings settings, Set<InetAddress> addresses)
            throws IOException {
        var probe = new RdmaProbe(new RootedFiles(tree.root()));
        return ((Uplinks.KnownUplinks)
                        probe.scan(tree.gpus(), settings, addresses).uplinks())
                .reasons();
    }

    private static FaultyFiles faulty(RdmaTree tree) {
        return new FaultyFiles(new RootedFiles(tree.root()));
    }
}
