package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.fake.HostTree;
import io.imexagent.imex.fake.ServiceSettings;
import io.imexagent.imex.gate.GateFindings;
import io.imexagent.nvml.simulated.StagedNvml;
import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InventoryWatchTest {

    private static final Duration NEVER = Duration.ofDays(1);
    private static final Duration OFTEN = Duration.ofMillis(5);
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private final StagedNvml nvml = new StagedNvml(TrayPreset.GB200.tray());
    private final Worker worker = new Worker("nvml", 4, WorkerObserver.NONE, System::nanoTime);
    private final Worker files = new Worker("host-files", 4, WorkerObserver.NONE, System::nanoTime);
    private final BlockingQueue<NodeInventory> told = new LinkedBlockingQueue<>();
    private final AtomicLong now = new AtomicLong();
    private volatile Duration interval = NEVER;
    private HostTree host;
    private InventoryWatch watch;

    @BeforeEach
    void makeWatch() throws InterruptedException {
        host = HostTree.gb200(folder);
        var reader = new InventoryReader(
                folder,
                nvml,
                worker,
                files,
                LONG,
                Clock.systemUTC(),
                new GateFindings(folder, ServiceSettings::service)::of);
        watch = new InventoryWatch(reader, reader.withoutNvml(), () -> interval, now::get);
        watch.onChange(told::add);
    }

    @AfterEach
    void close() {
        watch.close();
        worker.close();
        files.close();
    }

    @Test
    void tellsHowLongAgoItReadWhateverTheTimeOfDay() throws Exception {
        now.set(Duration.ofSeconds(7).toNanos());
        assertThat(watch.age()).isEqualTo(Duration.ofSeconds(7));

        watch.start();
        assertThat(told.poll(30, TimeUnit.SECONDS)).isNotNull();
        assertThat(watch.age()).isZero();

        now.addAndGet(Duration.ofSeconds(3).toNanos());
        assertThat(watch.age()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void readsAtOnceAndTellsWhatIsNew() throws Exception {
        assertThat(watch.current().clique()).isInstanceOf(CliqueState.UnknownClique.class);

        watch.start();

        NodeInventory first = next();
        assertThat(first.clique()).isInstanceOf(CliqueState.KnownClique.class);
        assertThat(watch.current()).isEqualTo(first);
    }

    @Test
    void readsOnDemand() throws Exception {
        watch.start();
        next();
        nvml.update(tray -> TrayPreset.TWO_CLIQUES.tray());

        watch.wake();

        assertThat(next().clique()).isInstanceOf(CliqueState.ConflictingClique.class);
    }

    @Test
    void tellsNothingWhenNothingChanged() throws Exception {
        watch.start();
        NodeInventory first = next();

        watch.wake();

        await(inventory -> inventory.takenAt().isAfter(first.takenAt()));
        assertThat(told).isEmpty();
    }

    @Test
    void findsADriverThatLoadsLate() throws Exception {
        interval = OFTEN;
        nvml.update(tray -> TrayPreset.DRIVER_NOT_LOADED.tray());
        host.with("proc/devices", "Character devices:\n  1 mem\n");
        watch.start();
        assertThat(next().driver()).isInstanceOf(DriverState.AbsentDriver.class);

        HostTree.gb200(folder);
        nvml.update(tray -> TrayPreset.GB200.tray());

        NodeInventory settled = nextThat(inventory -> inventory.channelMajor() instanceof ChannelMajor.RegisteredMajor
                && inventory.clique() instanceof CliqueState.KnownClique);
        assertThat(settled.findings()).isEmpty();
    }

    @Test
    void followsAFabricThatCompletesAndACliqueThatChanges() throws Exception {
        interval = OFTEN;
        nvml.update(tray -> TrayPreset.FABRIC_IN_PROGRESS.tray());
        watch.start();
        assertThat(next().clique()).isInstanceOf(CliqueState.RegisteringClique.class);

        nvml.update(tray -> TrayPreset.GB200.tray());
        assertThat(nextThat(inventory -> inventory.clique() instanceof CliqueState.KnownClique)
                        .findings())
                .isEmpty();

        nvml.update(tray -> TrayPreset.ZERO_UUID.tray());
        nextThat(inventory -> inventory.clique() instanceof CliqueState.NoClique);
    }

    @Test
    void followsAChannelMajorThatChanges() throws Exception {
        watch.start();
        next();
        host.with("proc/devices", "Character devices:\n511 nvidia-caps-imex-channels\n");

        watch.wake();

        assertThat(next().channelMajor()).isEqualTo(new ChannelMajor.RegisteredMajor(511));
    }

    @Test
    void goesOnWhenAListenerFails() throws Exception {
        watch.onChange(inventory -> {
            throw new IllegalStateException("a defect of the listener");
        });
        var behind = new LinkedBlockingQueue<NodeInventory>();
        watch.onChange(behind::add);
        watch.start();
        assertThat(behind.poll(LONG.toSeconds(), TimeUnit.SECONDS)).isNotNull();
        nvml.update(tray -> TrayPreset.NO_GPU.tray());

        watch.wake();

        assertThat(behind.poll(LONG.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    }

    private NodeInventory next() throws InterruptedException {
        NodeInventory inventory = told.poll(LONG.toSeconds(), TimeUnit.SECONDS);
        assertThat(inventory).as("a change of the inventory").isNotNull();
        return inventory;
    }

    private NodeInventory nextThat(Predicate<NodeInventory> wanted) throws InterruptedException {
        NodeInventory inventory = next();
        while (!wanted.test(inventory)) {
            inventory = next();
        }
        return inventory;
    }

    private void await(Predicate<NodeInventory> wanted) throws InterruptedException {
        long end = System.nanoTime() + LONG.toNanos();
        while (!wanted.test(watch.current())) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(2);
        }
    }
}
