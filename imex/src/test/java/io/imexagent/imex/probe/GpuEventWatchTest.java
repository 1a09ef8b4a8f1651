package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.XidHistory;
import io.imexagent.imex.probe.GpuEventWatch.GpuEventObserver;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.simulated.StagedNvml;
import io.imexagent.nvml.simulated.TrayPreset;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GpuEventWatchTest {

    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

    private final StagedNvml nvml = new StagedNvml(TrayPreset.GB200.tray());
    private final AtomicBoolean enabled = new AtomicBoolean(true);
    private final AtomicInteger refreshes = new AtomicInteger();
    private final AtomicInteger changes = new AtomicInteger();
    private final Heard heard = new Heard();

    @TempDir
    private Path root;

    private GpuEventWatch watch;

    @BeforeEach
    void make() {
        watch = new GpuEventWatch(
                nvml,
                enabled::get,
                refreshes::incrementAndGet,
                heard,
                new XidLog(root),
                InstantSource.fixed(NOW),
                Duration.ofMillis(20));
    }

    @AfterEach
    void close() {
        nvml.update(tray -> TrayPreset.GB200.tray());
        watch.close();
    }

    private void listening() throws Exception {
        watch.onChange(changes::incrementAndGet);
        watch.start();
        eventually(() -> heard.listens);
    }

    @Test
    void anXidOfAGpuIsCountedCountsAgainstTheDevicesAndMakesTheNodeBeRead() throws Exception {
        listening();

        nvml.emit(2, EventType.XID, 79);

        eventually(() -> watch.complaint().isPresent());
        assertThat(watch.complaint().orElseThrow()).startsWith("GPU 2 reported Xid 79 at " + NOW);
        eventually(() -> refreshes.get() == 1);
        assertThat(heard.xids).containsExactly("2:79");
        assertThat(new XidLog(root).history().orElseThrow())
                .returns(NOW, XidHistory::since)
                .extracting(XidHistory::events)
                .isEqualTo(
                        List.of(new XidHistory.XidEvent(OptionalInt.of(2), 79, XidHistory.XidCause.GPU, 1, NOW, NOW)));
        assertThat(changes).hasValue(1);
    }

    @Test
    void anXidOfAProgramIsCountedAndNothingElse() throws Exception {
        listening();

        nvml.emit(0, EventType.XID, 31);

        eventually(() -> heard.xids.contains("0:31"));
        assertThat(watch.complaint()).isEmpty();
        assertThat(changes).hasValue(0);
    }

    @Test
    void aChangedRecoveryActionMakesTheNodeBeRead() throws Exception {
        listening();

        nvml.emit(1, EventType.RECOVERY_ACTION, 0);

        eventually(() -> refreshes.get() == 1);
        assertThat(watch.complaint()).isEmpty();
    }

    @Test
    void aDriverThatComesLateIsFound() throws Exception {
        nvml.update(tray -> TrayPreset.DRIVER_NOT_LOADED.tray());
        watch.start();
        Thread.sleep(60);
        assertThat(heard.listens).isFalse();

        nvml.update(tray -> TrayPreset.GB200.tray());

        eventually(() -> heard.listens);
    }

    @Test
    void aDriverThatFailsIsListenedToAgainOnceItWorks() throws Exception {
        listening();

        nvml.update(tray -> tray.withFailure(NvmlCall.EVENT_SET_WAIT, NvmlReturn.UNINITIALIZED));
        nvml.emit(0, EventType.XID, 13);
        eventually(() -> !heard.listens);
        nvml.update(tray -> TrayPreset.GB200.tray());

        eventually(() -> heard.listens);
    }

    @Test
    void lostGpusAndDriversWithoutTheYoungerKindsAreNoHindrance() throws Exception {
        nvml.update(tray -> TrayPreset.GPU_LOST.tray());

        listening();
        nvml.emit(0, EventType.XID, 79);

        eventually(() -> heard.xids.contains("0:79"));
    }

    @Test
    void theDriverIsLetGoOnceTheSwitchIsOff() throws Exception {
        listening();

        enabled.set(false);
        watch.follow();
        assertThat(GpuEventWatch.WAIT).isLessThanOrEqualTo(Duration.ofSeconds(5));
        nvml.endWaits();
        eventually(() -> !heard.listens);
        enabled.set(true);
        watch.follow();

        eventually(() -> heard.listens);
    }

    @Test
    void aLibraryThatWasReplacedAndIsStillInUseIsNotOpenedOverAndOverAgain() throws Exception {
        watch = new GpuEventWatch(
                nvml,
                enabled::get,
                refreshes::incrementAndGet,
                heard,
                new XidLog(root),
                InstantSource.fixed(NOW),
                Duration.ofMinutes(1));
        nvml.replace(true);
        listening();

        nvml.endWaits();
        eventually(() -> !heard.listens);
        Thread.sleep(60);
        assertThat(heard.listens).isFalse();

        nvml.replace(false);
        watch.follow();
        eventually(() -> heard.listens);
    }

    @Test
    void aDriverThatHangsKeepsNobodyFromClosingTheWatch() throws Exception {
        listening();
        nvml.update(tray -> tray.withHanging(NvmlCall.EVENT_SET_WAIT));
        long start = System.nanoTime();

        watch.close();
        assertThat(watch.complaint()).isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
    }

    private static void eventually(BooleanSupplier condition) throws InterruptedException {
        for (int wait = 0; wait < 1000; wait++) {
            if (condition.getAsBoolean()) {
                return;
            }
            Thread.sleep(10);
        }
        throw new AssertionError("it has not come true");
    }

    private static final class Heard implements GpuEventObserver {

        private volatile boolean listens;
        private final List<String> xids = new CopyOnWriteArrayList<>();

        @Override
        public void listening(boolean now) {
            listens = now;
        }

        @Override
        public void xid(String gpu, long number) {
            xids.add(gpu + ":" + number);
        }
    }
}
