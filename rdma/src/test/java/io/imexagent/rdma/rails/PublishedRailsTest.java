package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.Device.Attribute;
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
                        Map.entry("resource.kubernetes.io/pciBusID", new Attribute.Text("0000:03:00.0")),
                        Map.entry("resource.kubernetes.io/pcieRoot", new Attribute.Text("pci0000:00")),
                        Map.entry("resource.kubernetes.io/numaNode", new Attribute.Whole(0)),
                        Map.entry("role", new Attribute.Text("rail")),
                        Map.entry("rdmaDevice", new Attribute.Text("mlx5_0")),
                        Map.entry("ifName", new Attribute.Text("rdma0")),
                        Map.entry("linkLayer", new Attribute.Text("Ethernet")),
                        Map.entry("portState", new Attribute.Text("ACTIVE")),
                        Map.entry("rateGbps", new Attribute.Whole(400)),
                        Map.entry("gidIndex", new Attribute.Whole(3)),
                        Map.entry("ipv4", new Attribute.Text("10.1.0.1")),
                        Map.entry("mtu", new Attribute.Whole(9000)),
                        Map.entry("numaNode", new Attribute.Whole(0)),
                        Map.entry("nearestGpus", new Attribute.Text("0,1")),
                        Map.entry("gpuDistance", new Attribute.Text("same NUMA node")),
                        Map.entry("gpuDirect", new Attribute.Text("dma-buf")))));
    }

    @Test
    void aLinkThatGoesForAMomentChangesNoSlice() throws IOException {
        look(PLAIN);
        List<Device> before = shelf.devices(PLAIN);
        down("mlx5_1");
        look(PLAIN);

        assertThat(shelf.devices(PLAIN)).isEqualTo(before);
        assertThat(rail(Trays.RDMA1).settled()).isInstanceOf(PublishedRail.State.Up.class);
        assertThat(rail(Trays.RDMA1).seen()).isInstanceOf(PublishedRail.State.Down.class);
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
        assertThat(device(TAINTING, Trays.RDMA1).attributes()).containsEntry("portState", new Attribute.Text("DOWN"));

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
        assertThat(device(PLAIN, Trays.RDMA1).attributes()).containsEntry("portState", new Attribute.Text("UNTOLD"));
    }

    @Test
    void whatChangesOfARailThatIsUpIsPublishedAtOnce() throws IOException {
        look(PLAIN);
        tree.change("mlx5_1", nic -> nic.withoutAddress().ipv4("10.1.8.1/31"));
        look(PLAIN);

        assertThat(device(PLAIN, Trays.RDMA1).attributes()).containsEntry("ipv4", new Attribute.Text("10.1.8.1"));
    }

    @Test
    void aRailThatStaysDownGoesUnlessAClaimHoldsIt() throws IOException {
        look(PLAIN);
        down("mlx5_1");
        look(PLAIN);
        now = now.plusSeconds(30);

        look(PLAIN, Trays.RDMA1);
        assertThat(names(PLAIN)).contains(Trays.RDMA1);
        assertThat(rail(Trays.RDMA1).settled()).isInstanceOfSatisfying(PublishedRail.State.Down.class, down -> {
            assertThat(down.cause()).isEqualTo("port-down");
        });
        assertThat(device(PLAIN, Trays.RDMA1).attributes()).containsEntry("portState", new Attribute.Text("DOWN"));

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
                .containsExactly(
                        new Device.Taint("rdma.imexagent.io/down", "port-down", Device.Taint.Effect.NO_SCHEDULE));

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
        assertThat(rail(Trays.RDMA0).seen()).isInstanceOf(PublishedRail.State.Withdrawn.class);
        now = now.plusSeconds(30);
        look(TAINTING, Trays.RDMA0);
        assertThat(device(TAINTING, Trays.RDMA0).taints())
                .map(Device.Taint::value)
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
                        "role", new Attribute.Text("rail"),
                        "portState", new Attribute.Text("UNTOLD"),
                        "resource.kubernetes.io/pciBusID", new Attribute.Text("0010:03:00.0"))));
        assertThat(rail(Trays.RDMA2).settled())
                .isEqualTo(new PublishedRail.State.Down("gone", "the node has no such RDMA device any more"));
    }

    @Test
    void anInterfaceThatMovedIntoTheContainerOfItsClaimIsNoFault() throws IOException {
        look(PLAIN);
        tree.change("mlx5_1", FixtureNic::withoutNetdev);

        look(PLAIN, Trays.RDMA1);

        assertThat(rail(Trays.RDMA1).seen()).isEqualTo(new PublishedRail.State.Up());
    }

    @Test
    void everyDeviceOfASliceFitsTheRulesOfTheServer() throws IOException {
        look(PLAIN);

        assertThat(shelf.devices(PLAIN)).allSatisfy(device -> {
            assertThat(device.name()).matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
            assertThat(device.attributes()).hasSizeLessThanOrEqualTo(32).allSatisfy((name, attribute) -> {
                if (attribute instanceof Attribute.Text text) {
                    assertThat(text.value()).hasSizeBetween(1, 64);
                }
            });
        });
    }

    private void look(RdmaSettings settings, String... held) throws IOException {
        RdmaInventory inventory = Trays.inventory(tree);
        shelf = shelf.looked(
                new RdmaView(
                        now,
                        inventory,
                        Trays.selection(inventory),
                        new KnownAddresses.Known(Set.of()),
                        new TopologyFile.Unset(),
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
