package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.dra.fake.HangingFile;
import io.imexagent.imex.fake.HostTree;
import io.imexagent.imex.fake.ServiceSettings;
import io.imexagent.imex.gate.GateFindings;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.simulated.SimulatedNvml;
import io.imexagent.nvml.simulated.StagedNvml;
import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InventoryReaderTest {

    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
    private static final Duration SHORT = Duration.ofMillis(20);
    /** For what answers at once, and for what never does. */
    private static final Duration LONG_ENOUGH = Duration.ofMillis(500);

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private final StagedNvml nvml = new StagedNvml(TrayPreset.GB200.tray());
    private final Worker worker = new Worker("nvml", 4, WorkerObserver.NONE, System::nanoTime);
    private final Worker files = new Worker("host-files", 4, WorkerObserver.NONE, System::nanoTime);
    private HostTree host;

    @BeforeEach
    void makeHost() {
        host = HostTree.gb200(folder);
    }

    @AfterEach
    void letGo() {
        nvml.update(tray -> TrayPreset.GB200.tray());
        worker.close();
        files.close();
    }

    @Test
    void joinsWhatTheHostAndNvmlSay() throws Exception {
        NodeInventory inventory = reader(nvml, LONG).read();

        assertThat(inventory.takenAt()).isEqualTo(NOW);
        assertThat(inventory.gpus()).hasSize(4);
        assertThat(inventory.clique()).isInstanceOf(CliqueState.KnownClique.class);
        assertThat(inventory.channelMajor()).isEqualTo(new ChannelMajor.RegisteredMajor(239));
        assertThat(inventory.channelCount()).hasValue(2048);
        assertThat(inventory.findings()).isEmpty();
    }

    @Test
    void aSimulationIsSaidBeforeAndAfterItAnswers() throws Exception {
        InventoryReader reader = reader(new SimulatedNvml(TrayPreset.GB200.tray()), LONG);

        for (NodeInventory inventory : List.of(reader.withoutNvml(), reader.read())) {
            assertThat(inventory.simulated()).isTrue();
            assertThat(inventory.findings()).singleElement().returns("nvml-simulated", Finding::code);
        }
        assertThat(reader(nvml, LONG).read().simulated()).isFalse();
    }

    @Test
    void tellsWhatTheHostSaysBeforeNvmlWasAsked() throws Exception {
        nvml.update(tray -> TrayPreset.HANGING.tray());

        NodeInventory inventory = reader(nvml, LONG).withoutNvml();

        assertThat(inventory.channelMajor()).isEqualTo(new ChannelMajor.RegisteredMajor(239));
        assertThat(inventory.clique()).isEqualTo(new CliqueState.UnknownClique("NVML has not been read yet"));
        assertThat(inventory.findings()).isEmpty();
    }

    @Test
    void turnsADriverThatHangsIntoAFinding() throws Exception {
        nvml.update(tray -> TrayPreset.HANGING.tray());

        NodeInventory inventory = reader(nvml, SHORT).read();

        assertThat(inventory.driver()).isInstanceOf(DriverState.FailingDriver.class);
        assertThat(inventory.clique()).isInstanceOf(CliqueState.UnknownClique.class);
        assertThat(inventory.channelMajor()).isEqualTo(new ChannelMajor.RegisteredMajor(239));
        assertThat(inventory.findings())
                .singleElement()
                .returns("nvml-hangs", Finding::code)
                .returns("NVML does not answer within 0.02 s", Finding::message);
    }

    @Test
    void turnsAFileThatHangsIntoAFindingFromTheFirstReadingOn() throws Exception {
        try (var _ = HangingFile.at(host.path("proc/driver/nvidia/params"))) {
            NodeInventory inventory = reader(nvml, SHORT).withoutNvml();

            assertThat(inventory.channelMajor()).isInstanceOf(ChannelMajor.UnknownMajor.class);
            assertThat(inventory.bootId()).contains(new BootId(HostTree.BOOT_ID));
            assertThat(inventory.findings())
                    .singleElement()
                    .returns("host-files-hang", Finding::code)
                    .returns("files below /proc, /sys or /dev do not answer within 0.02 s", Finding::message);
        }
    }

    @Test
    void remembersTheBootWhileAFileHangsAndReadsOnOnceItAnswers() throws Exception {
        InventoryReader reader = reader(nvml, LONG_ENOUGH);
        reader.read();
        try (var _ = HangingFile.at(host.path("proc/devices"))) {
            NodeInventory hanging = reader.read();

            assertThat(hanging.bootId()).contains(new BootId(HostTree.BOOT_ID));
            assertThat(hanging.gpus()).hasSize(4);
            assertThat(reader.read().hasSameContentAs(hanging)).isTrue();
        }

        NodeInventory again = reader.read();
        while (!again.findings().isEmpty()) {
            again = reader.read();
        }
        assertThat(again.channelMajor()).isEqualTo(new ChannelMajor.RegisteredMajor(239));
    }

    @Test
    void tellsTheSameForAsLongAsTheDriverHangs() throws Exception {
        nvml.update(tray -> TrayPreset.HANGING.tray());
        InventoryReader reader = reader(nvml, SHORT);

        NodeInventory first = reader.read();

        assertThat(reader.read().hasSameContentAs(first)).isTrue();
    }

    @Test
    void asksAHangingDriverOnlyOnce() throws Exception {
        nvml.update(tray -> TrayPreset.HANGING.tray());
        var opened = new AtomicInteger();
        InventoryReader reader = reader(counting(opened), SHORT);

        reader.read();
        while (worker.busyFor().isEmpty()) {
            Thread.sleep(1);
        }
        reader.read();
        reader.read();

        assertThat(opened).hasValue(1);
        assertThat(worker.waiting()).isZero();
    }

    @Test
    void readsAgainOnceTheDriverHasLetGo() throws Exception {
        nvml.update(tray -> TrayPreset.HANGING.tray());
        var opened = new AtomicInteger();
        reader(counting(opened), SHORT).read();
        InventoryReader reader = reader(counting(opened), LONG);
        nvml.update(tray -> TrayPreset.GB200.tray());

        NodeInventory inventory = reader.read();

        assertThat(inventory.clique()).isInstanceOf(CliqueState.KnownClique.class);
        assertThat(inventory.findings()).isEmpty();
    }

    @Test
    void doesNotServeWhatAHungReadingFoundLongAfter() throws Exception {
        nvml.update(tray -> TrayPreset.HANGING.tray());
        InventoryReader reader = reader(nvml, SHORT);
        reader.read();
        nvml.update(tray -> TrayPreset.GB200.tray());
        worker.submit(() -> true).get(LONG.toSeconds(), TimeUnit.SECONDS);
        nvml.update(tray -> TrayPreset.NO_GPU.tray());

        NodeInventory inventory = readUntilAnswered(reader);

        assertThat(inventory.gpus()).isEmpty();
        assertThat(inventory.clique()).isInstanceOf(CliqueState.NoClique.class);
    }

    @Test
    void turnsADefectIntoAFinding() throws Exception {
        NodeInventory inventory = reader(
                        () -> {
                            throw new IllegalStateException("broken");
                        },
                        LONG)
                .read();

        assertThat(inventory.findings())
                .singleElement()
                .returns("nvml-unreadable", Finding::code)
                .satisfies(finding -> assertThat(finding.message()).contains("broken"));
    }

    /** A reading may miss a short deadline on a busy machine; what it then tells is not what is asked here. */
    private static NodeInventory readUntilAnswered(InventoryReader reader) throws InterruptedException {
        NodeInventory inventory = reader.read();
        while (inventory.driver() instanceof DriverState.FailingDriver) {
            inventory = reader.read();
        }
        return inventory;
    }

    private Nvml counting(AtomicInteger opened) {
        return () -> {
            opened.incrementAndGet();
            return nvml.open();
        };
    }

    private InventoryReader reader(Nvml asked, Duration deadline) {
        return new InventoryReader(
                host.root(),
                asked,
                worker,
                files,
                deadline,
                Clock.fixed(NOW, ZoneOffset.UTC),
                new GateFindings(host.root(), ServiceSettings::service)::of);
    }
}
