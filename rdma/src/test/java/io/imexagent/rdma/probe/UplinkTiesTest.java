package io.imexagent.rdma.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.NetworkedFiles;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.RdmaInventory.Uplinks;
import io.imexagent.rdma.setting.RdmaSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The host's traffic leaves by a NIC whose interface has neither its address nor its route. */
class UplinkTiesTest {

    private static final String NIC = "enP6p3s0f0np0";

    @TempDir
    Path root;

    /** {@code field/ovs-uplink-tree.txt}, with the routes of that host. */
    @Test
    void aPortOfTheOpenVSwitchOfTheDefaultRouteIsAnUplink() throws IOException {
        RdmaTree tree = openVSwitch();
        tree.file("proc/net/route", field("ovs-uplink-route").stripTrailing());

        assertThat(uplinks(tree))
                .containsEntry(name("br-ex"), "carries the IPv4 default route")
                .containsEntry(
                        name(NIC),
                        "is tied to ovs-system, which may be the switch of br-ex, which carries the IPv4 default route")
                .doesNotContainKey(name("rdma0"));
    }

    @Test
    void aPortOfTheOpenVSwitchThatOwnsTheNodesAddressIsAnUplink() throws IOException {
        RdmaTree tree = openVSwitch().withoutDefaultRoute().addressed("br-ex", "192.168.7.2/24");

        assertThat(uplinks(tree, Settings.withUplinks(List.of(), List.of("192.168.7.2"))))
                .containsKey(name(NIC));
    }

    @Test
    void aVlanOverAPortOfTheOpenVSwitchLeadsToItsNics() throws IOException {
        RdmaTree tree =
                openVSwitch().withoutDefaultRoute().stack("br-ex.7", "br-ex").defaultRoute("br-ex.7");

        assertThat(uplinks(tree)).containsKeys(name("br-ex"), name(NIC));
    }

    /** The switch knows the bond or the VLAN alone; the NIC is below it. */
    @Test
    void whatIsBelowAPortOfTheOpenVSwitchIsAnUplink() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root)
                .withoutDefaultRoute()
                .bond("ovs-system")
                .bond("br-ex")
                .defaultRoute("br-ex")
                .link("sys/class/net/bond0/master", "../ovs-system")
                .link("sys/class/net/ovs-system/lower_bond0", "../bond0")
                .stack("rdma3.7", "rdma3")
                .link("sys/class/net/ovs-system/lower_rdma3.7", "../rdma3.7");

        assertThat(uplinks(tree))
                .containsKeys(name("bond0"), name("enP6p3s0f0"), name("enP22p3s0f0"), name("rdma3"))
                .doesNotContainKey(name("rdma0"));
    }

    /** The NIC names its master, and the master does not name the NIC. */
    @Test
    void oneOfTheKernelsTwoLinksIsEnough() throws IOException {
        RdmaTree tree = openVSwitch().without("sys/class/net/ovs-system/lower_" + NIC);

        assertThat(uplinks(tree))
                .containsEntry(
                        name(NIC),
                        "is tied to ovs-system, which may be the switch of br-ex, which carries the IPv4 default route");
    }

    @Test
    void aPortInAVrfIsOneWhereTheKernelSaysSo() throws IOException {
        RdmaTree tree = openVSwitch()
                .bond("mgmt")
                .link("sys/class/net/br-ex/master", "../mgmt")
                .link("sys/class/net/mgmt/lower_br-ex", "../br-ex");

        assertThat(uplinks(tree, "[{\"linkinfo\":{\"info_kind\":\"openvswitch\"}}]"))
                .containsKey(name(NIC));
        assertThat(uplinks(tree)).doesNotContainKey(name(NIC));
    }

    @Test
    void aMasterThatIsNotShownIsTheSwitchToo() throws IOException {
        RdmaTree tree = openVSwitch().without("sys/class/net/ovs-system");

        assertThat(uplinks(tree)).containsKey(name(NIC)).doesNotContainKey(name("rdma0"));
    }

    /** A bond that carries RDMA traffic alone, beside the switch of the host's traffic. */
    @Test
    void aBondOfRailsIsNoUplink() throws IOException {
        RdmaTree tree = openVSwitch().bonding("bond1").onLinkRoute("bond1", "10.9.0.1/24");
        tree.change("mlx5_0", nic -> nic.master("bond1")).change("mlx5_1", nic -> nic.master("bond1"));

        assertThat(uplinks(tree)).containsOnlyKeys(name("br-ex"), name("ovs-system"), name(NIC));
    }

    /** A bond of the switch itself is no interface: both NICs are its ports. */
    @Test
    void allPortsOfTheOpenVSwitchAreUplinks() throws IOException {
        RdmaTree tree =
                openVSwitch().add(new FixtureNic("mlx5_6", "0016:03:00.0", "enP22p3s0f0np0").master("ovs-system"));

        assertThat(uplinks(tree)).containsKeys(name(NIC), name("enP22p3s0f0np0"));
    }

    @Test
    void aSwitchIsNoUplinkWhereTheHostsTrafficLeavesByABond() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root)
                .bond("ovs-system")
                .bond("br-rail0")
                .change("mlx5_0", nic -> nic.master("ovs-system"));

        assertThat(uplinks(tree)).containsKey(name("bond0")).doesNotContainKey(name("rdma0"));
    }

    /** Each is over something else, or says what it is. */
    @Test
    void onlyWhatMayBeAPortOfTheSwitchLeadsToIt() throws IOException {
        for (String fact : List.of("tun_flags", "bridge/bridge_id", "bonding/mode", "device/vendor")) {
            RdmaTree tree = openVSwitch().file("sys/class/net/br-ex/" + fact, "0x1");
            assertThat(uplinks(tree)).as(fact).doesNotContainKey(name(NIC));
            tree.without("sys/class/net/br-ex/" + fact.replaceFirst("/.*", ""));
        }
        RdmaTree tree = openVSwitch().file("sys/class/net/br-ex/type", "65534");
        assertThat(uplinks(tree)).as("WireGuard").doesNotContainKey(name(NIC));
        tree.file("sys/class/net/br-ex/type", "1")
                .file("sys/class/net/br-ex/ifindex", "8")
                .file("sys/class/net/br-ex/iflink", "5");
        assertThat(uplinks(tree)).as("a tunnel").doesNotContainKey(name(NIC));
        tree.file("sys/class/net/br-ex/iflink", "8");
        assertThat(uplinks(tree)).as("a port").containsKey(name(NIC));
    }

    @Test
    void theKernelSaysWhetherAnInterfaceIsAPortOfTheSwitch() throws IOException {
        RdmaTree tree = openVSwitch();

        assertThat(uplinks(tree, "[{\"ifname\":\"br-ex\",\"linkinfo\":{\"info_kind\":\"dummy\"}}]"))
                .doesNotContainKey(name(NIC));
        for (String port : List.of("[{\"linkinfo\":{\"info_kind\":\"openvswitch\"}}]", "[{}]", "[]", "Error")) {
            assertThat(uplinks(tree, port)).as(port).containsKey(name(NIC));
        }
    }

    /** Open vSwitch over DPDK, WireGuard: the note ends where the operator names the NIC, or hardware is an uplink too. */
    @Test
    void aTapOrATunnelLeavesByAnyNic() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root).withoutDefaultRoute().defaultRoute("br-ex");
        for (String fact : List.of("tun_flags 0x1002", "type 65534", "type 778")) {
            tree.without("sys/class/net/br-ex").bond("br-ex");
            tree.file("sys/class/net/br-ex/" + fact.replaceFirst(" .*", ""), fact.replaceFirst(".* ", ""));
            assertThat(known(tree, Settings.OFF).tunnels()).as(fact).containsExactly(name("br-ex"));
        }
        assertThat(known(tree, Settings.withUplinks(List.of("rdma3"), List.of()))
                        .tunnels())
                .isEmpty();

        tree.file("sys/class/net/eth0/device/vendor", "0x1414").ipv6DefaultRoute("eth0");
        assertThat(known(tree, Settings.OFF).tunnels()).isEmpty();
    }

    /** An uplink that only the configuration names, and that this host does not have. */
    @Test
    void anUplinkThatIsNotThereIsNoPortOfTheSwitch() throws IOException {
        RdmaTree tree = openVSwitch().withoutDefaultRoute();

        assertThat(uplinks(tree, Settings.withUplinks(List.of("eth9"), List.of())))
                .containsOnlyKeys(name("eth9"));
    }

    /** A team, a VRF that routes for others, a bond of bonds, a macvlan with the host's address. */
    @Test
    void everyMasterAndEveryUpperLeadsToItsNic() throws IOException {
        for (String upper : List.of("team0", "mgmt", "bond9", "macvlan0", "ipvlan0", "macsec0")) {
            RdmaTree tree = RdmaTree.gb200(root.resolve(upper))
                    .withoutDefaultRoute()
                    .stack("inner", "rdma0")
                    .stack(upper, "inner")
                    .defaultRoute(upper);

            assertThat(uplinks(tree)).as(upper).containsKey(name("rdma0")).doesNotContainKey(name("rdma1"));
        }
    }

    /** The host's address is on one end of a pair, and the other end is in the bridge with the NIC. */
    @Test
    void theOtherEndOfAPairLeadsToItsBridge() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root)
                .withoutDefaultRoute()
                .bond("host0")
                .stack("br0", "rdma0")
                .stack("br0", "host1")
                .defaultRoute("host0");
        pair(tree, "host0", 20, "host1", 21);

        assertThat(uplinks(tree)).containsKeys(name("host1"), name("br0"), name("rdma0"));
    }

    /** The kernel counts interfaces in each namespace from 1: the number may be another interface's here. */
    @Test
    void aPairThatEndsInAContainerLeadsNowhere() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root).withoutDefaultRoute().bond("host0").defaultRoute("host0");
        tree.file("sys/class/net/host0/ifindex", "20").file("sys/class/net/host0/iflink", "2");
        tree.file("sys/class/net/rdma0/ifindex", "2").file("sys/class/net/rdma0/iflink", "2");

        assertThat(uplinks(tree)).containsOnlyKeys(name("host0"));
    }

    private static void pair(RdmaTree tree, String one, int first, String other, int second) {
        tree.file("sys/class/net/" + one + "/ifindex", Integer.toString(first))
                .file("sys/class/net/" + one + "/iflink", Integer.toString(second))
                .file("sys/class/net/" + other + "/ifindex", Integer.toString(second))
                .file("sys/class/net/" + other + "/iflink", Integer.toString(first));
    }

    /** Four rails, and a NIC in a switch whose own port {@code br-ex} has the default route. */
    private RdmaTree openVSwitch() {
        RdmaTree tree = RdmaTree.empty(root).bond("ovs-system").bond("br-ex");
        for (int rail = 0; rail < 4; rail++) {
            tree.add(new FixtureNic("mlx5_" + rail, "000" + 2 * rail + ":03:00.0", "rdma" + rail)
                    .ipv4("10.1." + rail + ".1/31"));
        }
        tree.add(new FixtureNic("mlx5_9", "0006:03:00.0", NIC)
                .address("0007:03:00.0")
                .master("ovs-system"));
        return tree.defaultRoute("br-ex");
    }

    private Map<InterfaceName, String> uplinks(RdmaTree tree) throws IOException {
        return uplinks(tree, Settings.OFF);
    }

    private static Map<InterfaceName, String> uplinks(RdmaTree tree, RdmaSettings settings) throws IOException {
        return reasons(new RootedFiles(tree.root()), tree, settings);
    }

    private static Map<InterfaceName, String> uplinks(RdmaTree tree, String link) throws IOException {
        var files = new NetworkedFiles(new RootedFiles(tree.root()), Map.of("ip -j -d link show dev br-ex", link));
        return reasons(files, tree, Settings.OFF);
    }

    private static Map<InterfaceName, String> reasons(HostFiles files, RdmaTree tree, RdmaSettings settings)
            throws IOException {
        return known(files, tree, settings).reasons();
    }

    private static Uplinks.KnownUplinks known(RdmaTree tree, RdmaSettings settings) throws IOException {
        return known(new RootedFiles(tree.root()), tree, settings);
    }

    private static Uplinks.KnownUplinks known(HostFiles files, RdmaTree tree, RdmaSettings settings)
            throws IOException {
        return (Uplinks.KnownUplinks)
                new RdmaProbe(files).scan(tree.gpus(), settings, Set.of()).uplinks();
    }

    private static InterfaceName name(String text) {
        return new InterfaceName(text);
    }

    private static String field(String file) throws IOException {
        try (InputStream in = UplinkTiesTest.class.getResourceAsStream("/field/" + file)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
