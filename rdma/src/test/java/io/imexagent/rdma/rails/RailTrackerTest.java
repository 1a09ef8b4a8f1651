package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.kubelet.DeviceHealth;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is published of a tray and told of its health, from look to look. */
class RailTrackerTest {

    private static final String RDMA1 = "rail-0002-03-00-0";
    private static final String RDMA2 = "rail-0010-03-00-0";
    private static final Duration SETTLE = Settings.OFF.settleAfter();

    @TempDir
    Path folder;

    private Duration pause = Duration.ZERO;
    private Optional<RdmaView> view = Optional.empty();
    private Ledger ledger = Ledger.empty(Optional.empty());
    private Instant now = Instant.parse("2026-01-02T03:04:05Z");
    private Optional<RdmaTree> laidOut = Optional.empty();

    @BeforeEach
    void layOut() {
        laidOut = Optional.of(RdmaTree.gb200(folder));
    }

    @Test
    void beforeTheFirstReadingPublicationStaysAsItIs() {
        RailTracker board = board();

        board.update();

        assertThat(board.wanted()).isInstanceOf(DesiredPool.Keep.class);
        assertThat(board.current()).isEmpty();
        assertThat(board.count("up", false)).isZero();
    }

    @Test
    void whatIsReadIsPublishedAndListenersAreToldOnceOfEachChange() throws IOException {
        RailTracker board = board();
        var told = new AtomicInteger();
        board.onChange(told::incrementAndGet);

        look(board);
        look(board);

        assertThat(names(board)).hasSize(4).contains(RDMA1, RDMA2);
        assertThat(told).as("the second look has told nothing new").hasValue(1);
        assertThat(board.current()).extracting(DeviceHealth::status).containsOnly(DeviceHealth.HealthStatus.HEALTHY);
        assertThat(board.count("up", false)).isEqualTo(4);
    }

    @Test
    void aLinkThatGoesDownIsToldWhenThatHasLastedAndStaysForItsHolderAlone() throws IOException {
        RailTracker board = board();
        look(board);
        ledger = ledger.with(holder(RDMA1));
        down("mlx5_1");
        down("mlx5_4");

        look(board);
        assertThat(names(board)).hasSize(4);
        assertThat(board.count("up", true)).isEqualTo(1);
        assertThat(pause).isEqualTo(SETTLE);

        now = now.plus(SETTLE);
        look(board);
        assertThat(names(board)).hasSize(3).contains(RDMA1).doesNotContain(RDMA2);
        assertThat(board.count("down", true)).isEqualTo(1);
        assertThat(board.count("down", false)).isZero();
        assertThat(board.count("up", false)).isEqualTo(2);
        assertThat(board.current())
                .filteredOn(health -> health.device().equals(RDMA1))
                .singleElement()
                .satisfies(health -> {
                    assertThat(health.status()).isEqualTo(DeviceHealth.HealthStatus.UNHEALTHY);
                    assertThat(health.message()).contains("port 1 is DOWN");
                });
    }

    @Test
    void anUplinkStaysForItsHolderAndIsToldToBeWithdrawn() throws IOException {
        RailTracker board = board();
        ledger = ledger.with(holder(RDMA1));
        look(board);
        laidOut.orElseThrow().defaultRoute("rdma1").defaultRoute("rdma2");

        look(board);
        now = now.plus(SETTLE);
        look(board);

        assertThat(names(board)).hasSize(3).contains(RDMA1).doesNotContain(RDMA2);
        assertThat(board.count("withdrawn", true)).isEqualTo(1);
        assertThat(board.current())
                .filteredOn(health -> health.device().equals(RDMA1))
                .singleElement()
                .satisfies(health -> assertThat(health.message()).contains("not offered to other pods"));
    }

    private RailTracker board() {
        return new RailTracker(() -> view, () -> ledger, () -> Settings.OFF, "node-1", () -> now);
    }

    private void look(RailTracker board) throws IOException {
        RdmaTree tree = laidOut.orElseThrow();
        view = Optional.of(RdmaView.read(
                new RdmaProbe(new RootedFiles(tree.root())),
                Clock.systemUTC(),
                tree.gpus(),
                new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()),
                Settings.OFF));
        pause = board.update();
    }

    private void down(String device) {
        laidOut.orElseThrow().change(device, nic -> nic.port("1: DOWN", "3: Disabled"));
    }

    private static List<String> names(RailTracker board) {
        return ((DesiredPool.Publish) board.wanted())
                .devices().stream().map(Device::name).toList();
    }

    private static ClaimEntry holder(String device) {
        var allocation = new Allocation(
                List.of(DraSpecimens.allocated("nics", RailDriver.NAME, "node-1", device)),
                List.of(),
                Optional.empty(),
                Optional.empty());
        return new ClaimEntry.Started(
                new ClaimUid("a1"), Optional.empty(), new ClaimStatus(Optional.of(allocation), List.of(), List.of()));
    }
}
