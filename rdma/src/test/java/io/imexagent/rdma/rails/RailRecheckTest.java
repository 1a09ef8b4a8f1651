package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import io.imexagent.core.claim.ClaimEdits.Interface;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.RdmaWatch;
import io.imexagent.rdma.watch.RdmaWatch.RdmaObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RailRecheckTest {

    private static final DeviceNodeEdits UVERBS0 = new DeviceNodeEdits("/dev/infiniband/uverbs0", 231, 192);
    private static final DeviceNodeEdits RDMA_CM = new DeviceNodeEdits("/dev/infiniband/rdma_cm", 10, 121);
    private static final PciAddress SEAT = PciAddress.parse("0000:03:00.0").orElseThrow();

    @TempDir
    Path root;

    private RdmaTree tree;
    private RailRecheck check;

    @BeforeEach
    void aTray() {
        tree = RdmaTree.gb200(root);
        var files = new RootedFiles(root);
        var watch = new RdmaWatch(
                files,
                Settings.calls(),
                Clock.systemUTC(),
                List::of,
                () -> new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()),
                () -> Settings.OFF,
                () -> Duration.ofSeconds(30),
                new RdmaObserver() {},
                System::nanoTime);
        check = new RailRecheck(files, watch);
    }

    @Test
    void aNodeThatIsAsPlannedIsLetPass() {
        assertThat(check.changed(UVERBS0, "mlx5_0", SEAT)).isEmpty();
        assertThat(check.changed(RDMA_CM)).isEmpty();
    }

    @Test
    void anotherDeviceBehindTheNodeIsNamed() {
        tree.renumberUverbs();

        assertThat(check.changed(UVERBS0, "mlx5_0", SEAT)).contains("uverbs0 belongs to mlx5_7, not to mlx5_0");
    }

    @Test
    void anotherNumberOfTheNodeIsNamed() {
        tree.file("sys/class/infiniband_verbs/uverbs0/dev", "501:0").file("sys/class/misc/rdma_cm/dev", "10:120");

        assertThat(check.changed(UVERBS0, "mlx5_0", SEAT)).contains("uverbs0 has the number 501:0, not 231:192");
        assertThat(check.changed(RDMA_CM)).contains("rdma_cm has the number 10:120, not 10:121");
    }

    @Test
    void theSameNameOnAnotherFunctionIsNamed() {
        tree.change("mlx5_0", nic -> nic.address("0030:03:00.0"));

        assertThat(check.changed(UVERBS0, "mlx5_0", SEAT)).contains("mlx5_0 is at 0030:03:00.0, not at 0000:03:00.0");
    }

    @Test
    void aNodeThatIsGoneIsNamed() {
        tree.remove("mlx5_0").without("sys/class/misc/rdma_cm");

        assertThat(check.changed(UVERBS0, "mlx5_0", SEAT)).contains("uverbs0 belongs to no device, not to mlx5_0");
        assertThat(check.changed(RDMA_CM)).contains("rdma_cm has the number of no device, not 10:121");
    }

    @Test
    void anInterfaceThatIsAnotherNicsNowIsNamed() {
        var rdma0 = new Interface("rdma0", "rdma0");
        assertThat(check.changed(rdma0, "mlx5_0")).isEmpty();

        tree.change("mlx5_0", nic -> nic.netdev("rdma9")).change("mlx5_1", nic -> nic.netdev("rdma0"));

        assertThat(check.changed(rdma0, "mlx5_0")).contains("mlx5_0 has the interface rdma9 where it had rdma0");
        assertThat(check.changed(rdma0, "mlx5_1")).isEmpty();
        tree.change("mlx5_0", FixtureNic::withoutNetdev);
        assertThat(check.changed(rdma0, "mlx5_0")).contains("mlx5_0 has no interface where it had rdma0");
    }

    @Test
    void managementNodesAreThoseOfTheDeviceAndOfTheKindThatIsWanted() throws IOException {
        for (String name : new String[] {"umad0", "issm0"}) {
            tree.file("sys/class/infiniband_mad/" + name + "/ibdev", "mlx5_0");
        }
        tree.file("sys/class/infiniband_mad/umad0/dev", "231:0").file("sys/class/infiniband_mad/issm0/dev", "231:64");
        tree.file("sys/class/infiniband_mad/umad1/ibdev", "mlx5_1").file("sys/class/infiniband_mad/umad1/dev", "231:1");
        RdmaView view = RdmaView.read(
                new RdmaProbe(new RootedFiles(root)),
                Clock.systemUTC(),
                List.of(),
                new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()),
                Settings.OFF);

        assertThat(nodes(view, true, false))
                .containsExactly(UVERBS0, new DeviceNodeEdits("/dev/infiniband/umad0", 231, 0));
        assertThat(nodes(view, true, true))
                .containsExactly(
                        UVERBS0,
                        new DeviceNodeEdits("/dev/infiniband/issm0", 231, 64),
                        new DeviceNodeEdits("/dev/infiniband/umad0", 231, 0));
        assertThat(nodes(view, false, false)).containsExactly(UVERBS0);
        assertThat(check.changed(new DeviceNodeEdits("/dev/infiniband/umad0", 231, 0), "mlx5_0", SEAT))
                .isEmpty();
    }

    /** What the claim of the first rail is given. */
    private static List<DeviceNodeEdits> nodes(RdmaView view, boolean umad, boolean issm) {
        var config = new RailConfig(
                RailConfig.RailMode.VERBS,
                umad,
                issm,
                true,
                Optional.of(RailConfig.EnvironmentMode.ALWAYS),
                Optional.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                true,
                Collections.emptySortedMap());
        List<Rail> first = view.selection().rails().subList(0, 1);
        return new RailEdits(first, config, view, Trays.UNABLE)
                .of(Trays.CLAIM.uid())
                .devices()
                .firstEntry()
                .getValue()
                .edits()
                .nodes();
    }
}
