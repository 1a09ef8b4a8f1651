package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.Device.DeviceAttribute;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.rails.PublishedRails.PublishedRail;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.TopologyFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishedRailsTest {

    private static final RdmaSettings PLAIN = Settings.OFF;
    private static final RdmaSettings TAINTING = Settings.TAINTING;

    @TempDir
    Path root;

    private RdmaTree tree;
    private PublishedRails shelf = PublishedRails.EMPTY;
    private Instant now = Trays.NOON;

    @BeforeEach
    void aTray() {
        tree = RdmaTree.gb200(root);
    }

    @Test
    void publishesEveryRailWithWhatClaimsSelectOn() throws IOException {
        look(PLAIN);

        assertThat(names(PLAIN)).containsExactly(Trays.RDMA0, Trays.RDMA1, Trays.RDMA2, Trays.RDMA3);
        assertThat(shelf.devices(PLAIN).getFirst().attributes())
                .isEqualTo(new TreeMap<>(Map.ofEntries(
                        Map.entry(
                                "resource.kubernetes.io/pciBusID", new DeviceAttribute.StringAttribute("0000:03:00.0")),
                        Map.entry("resource.kubernetes.io/pcieRoot", new DeviceAttribute.StringAttribute("pci0000:00")),
                        Map.entry("resource.kubernetes.io/numaNode", new DeviceAttribute.IntAttribute(0)),
                        Map.entry("role", new DeviceAttribute.StringAttribute("rail")),
                        Map.entry("rdmaDevice", new DeviceAttribute.StringAttribute("mlx5_0")),
                        Map.entry("ifName", new DeviceAttribute.StringAttribute("rdma0")),
                        Map.entry("linkLayer", new DeviceAttribute.StringAttribute("Ethernet")),
                        Map.entry("portState", new DeviceAttribute.StringAttribute("ACTIVE")),
                        Map.entry("rateGbps", new DeviceAttribute.IntAttribute(400)),
                        Map.entry("gidIndex", new DeviceAttribute.IntAttribute(3)),
                        Map.entry("ipv4", new DeviceAttribute.StringAttribute("10.1.0.1")),
                        Map.entry("mtu", new DeviceAttribute.IntAttribute(9000)),
                        Map.entry("numaNode", new DeviceAttribute.IntAttribute(0)),
                        Map.entry("nearestGpus", new DeviceAttribute.StringAttribute("0,1")),
                        Map.entry("gpuDistance", new DeviceAttribute.StringAttribute("same NUMA node")),
                        Map.entry("gpuDirect", new DeviceAttribute.StringAttribute("dma-buf")))));
    }

    @Test
    void aLinkThatGoesForAMomentChangesNoSlice() throws IOException {
        look(PLAIN);
        List<Device> before = shelf.devices(PLAIN);
        down("mlx5_1");
        look(PLAIN);

        assertThat(shelf.devices(PLAIN)).isEqualTo(before);
        assertThat(rail(Trays.RDMA1).settled()).isInstanceOf(PublishedRail.RailState.RailUp.class);
        assertThat(rail(Trays.RDMA1).seen()).isInstanceOf(PublishedRail.RailState.RailDown.class);
        assertThat(shelf.due(PLAIN)).contains(now.plusSeconds(30));

        up("mlx5_1");
        now = now.plusSeconds(10);
        look(PLAIN);
        assertThat(shelf.devices(PLAIN)).isEqualTo(before);
        assertThat(shelf.due(PLAIN)).isEmpty();
    }

    @Test
    void aLinkThatComesForAMomentChangesNoSliceEither() throws IOException {
        look(TAINTING);
        down("mlx5_1");
        look(TAINTING);
        now = now.plusSeconds(30);
        look(TAINTING);
        List<Device> before = shelf.devices(TAINTING);
        assertThat(device(TAINTING, Trays.RDMA1).attributes())
                .containsEntry("portState", new DeviceAttribute.StringAttribute("DOWN"));

        up("mlx5_1");
        look(TAINTING);
        assertThat(shelf.devices(TAINTING)).isEqualTo(before);
        down("mlx5_1");
        look(TAINTING);
        assertThat(shelf.devices(TAINTING)).isEqualTo(before);
    }

    @Test
    void aDeviceThatIsNotThereForAMomentChangesNoSlice() throws IOException {
        look(PLAIN);
        List<Device> before = shelf.devices(PLAIN);
        tree.remove("mlx5_1");

        look(PLAIN);
        assertThat(shelf.devices(PLAIN)).isEqualTo(before);

        now = now.plusSeconds(30);
        look(PLAIN, Trays.RDMA1);
        assertThat(device(PLAIN, Trays.RDMA1).attributes())
                .containsEntry("portState", new DeviceAttribute.StringAttribute("UNTOLD"));
    }

    @Test
    void whatChangesOfARailThatIsUpIsPublishedAtOnce() throws IOException {
        look(PLAIN);
        tree.change("mlx5_1", nic -> nic.withoutAddress().ipv4("10.1.8.1/31"));
        look(PLAIN);

        assertThat(device(PLAIN, Trays.RDMA1).attributes())
                .containsEntry("ipv4", new DeviceAttribute.StringAttribute("10.1.8.1"));
    }

    @Test
    void aRailThatStaysDownGoesUnlessAClaimHoldsIt() throws IOException {
        look(PLAIN);
        down("mlx5_1");
        look(PLAIN);
        now = now.plusSeconds(30);

        look(PLAIN, Trays.RDMA1);
        assertThat(names(PLAIN)).contains(Trays.RDMA1);
        assertThat(rail(Trays.RDMA1).settled()).isInstanceOfSatisfying(PublishedRail.RailState.RailDown.class, down -> {
            assertThat(down.cause()).isEqualTo("port-down");
        });
        assertThat(device(PLAIN, Trays.RDMA1).attributes())
                .containsEntry("portState", new DeviceAttribute.StringAttribute("DOWN"));

        look(PLAIN);
        assertThat(names(PLAIN)).doesNotContain(Trays.RDMA1);
    }

    @Test
    void withTaintsADownRailStaysAndIsTaintedOnceThatHasLasted() throws IOException {
        look(TAINTING);
        down("mlx5_1");
        look(TAINTING);
        assertThat(device(TAINTING, Trays.RDMA1).taints()).isEmpty();

        now = now.plusSeconds(30);
        look(TAINTING);
        assertThat(device(TAINTING, Trays.RDMA1).taints())
                .containsExactly(new Device.DeviceTaint(
                        "rdma.imexagent.io/down", "port-down", Device.DeviceTaint.TaintEffect.NO_SCHEDULE));

        up("mlx5_1");
        look(TAINTING);
        assertThat(device(TAINTING, Trays.RDMA1).taints()).isNotEmpty();
        now = now.plusSeconds(30);
        look(TAINTING);
        assertThat(device(TAINTING, Trays.RDMA1).taints()).isEmpty();
    }

    @Test
    void aNicThatARuleTakesAwayGoesAtOnceUnlessAClaimHoldsIt() throws IOException {
        look(TAINTING);
        tree.defaultRoute("rdma0");
        tree.defaultRoute("rdma1");

        look(TAINTING, Trays.RDMA0);

        assertThat(names(TAINTING)).containsExactly(Trays.RDMA0, Trays.RDMA2, Trays.RDMA3);
        assertThat(rail(Trays.RDMA0).seen()).isInstanceOf(PublishedRail.RailState.RailWithdrawn.class);
        now = now.plusSeconds(30);
        look(TAINTING, Trays.RDMA0);
        assertThat(device(TAINTING, Trays.RDMA0).taints())
                .map(Device.DeviceTaint::value)
                .containsExactly("withdrawn");
    }

    @Test
    void aNicThatWasNeverARailIsNotPublishedThoughItIsDown() throws IOException {
        down("mlx5_1");

        look(TAINTING);

        assertThat(names(TAINTING)).containsExactly(Trays.RDMA0, Trays.RDMA2, Trays.RDMA3);
    }

    @Test
    void afterARestartAHeldNicIsPublishedThoughItIsDownOrGone() throws IOException {
        down("mlx5_1");
        tree.remove("mlx5_4");

        look(PLAIN, Trays.RDMA1, Trays.RDMA2);

        assertThat(names(PLAIN)).containsExactly(Trays.RDMA0, Trays.RDMA1, Trays.RDMA2, Trays.RDMA3);
        assertThat(device(PLAIN, Trays.RDMA2).attributes())
                .isEqualTo(new TreeMap<>(Map.of(
                        "role", new DeviceAttribute.StringAttribute("rail"),
                        "portState", new DeviceAttribute.StringAttribute("UNTOLD"),
                        "resource.kubernetes.io/pciBusID", new DeviceAttribute.StringAttribute("0010:03:00.0"))));
        assertThat(rail(Trays.RDMA2).settled())
                .isEqualTo(new PublishedRail.RailState.RailDown("gone", "the node has no such RDMA device any more"));
    }

    @Test
    void anInterfaceThatMovedIntoTheContainerOfItsClaimIsNoFault() throws IOException {
        look(PLAIN);
        tree.change("mlx5_1", FixtureNic::withoutNetdev);

        look(PLAIN, Trays.RDMA1);

        assertThat(rail(Trays.RDMA1).seen()).isEqualTo(new PublishedRail.RailState.RailUp());
    }

    @Test
    void everyDeviceOfASliceFitsTheRulesOfTheServer() throws IOException {
        look(PLAIN);

        assertThat(shelf.devices(PLAIN)).allSatisfy(device -> {
            assertThat(device.name()).matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
            assertThat(device.attributes()).hasSizeLessThanOrEqualTo(32).allSatisfy((name, attribute) -> {
                if (attribute instanceof DeviceAttribute.StringAttribute text) {
                    assertThat(text.value()).hasSizeBetween(1, 64);
                }
            });
        });
    }

    private void look(RdmaSettings settings, String... held) throws IOException {
        RdmaInventory inventory = Trays.inventory(tree);
        shelf = shelf.updated(
                new RdmaView(
                        now,
                        inventory,
                        Trays.selection(inventory),
                        new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()),
                        new TopologyFile.NoTopology(),
                        settings),
                Set.of(held),
                settings,
                now);
    }

    private PublishedRail rail(String name) {
        return Objects.requireNonNull(shelf.rails().get(name), name);
    }

    private void down(String nic) {
        tree.change(nic, change -> change.port("1: DOWN", "3: Disabled"));
    }

    private void up(String nic) {
        tree.change(nic, change -> change.port("4: ACTIVE", "5: LinkUp"));
    }

    private List<String> names(RdmaSettings settings) {
        return shelf.devices(settings).stream().map(Device::name).toList();
    }

    private Device device(RdmaSettings settings, String name) {
        return shelf.devices(settings).stream()
                .filter(device -> device.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
