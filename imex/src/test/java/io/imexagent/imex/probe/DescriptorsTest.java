package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.imex.probe.GpuEventWatch.GpuEventObserver;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.jna.JnaNvml;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.TrayPreset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What days of readings leave open, over a library that leaves a descriptor each time it is unloaded, as the driver's does. */
class DescriptorsTest {

    private static final int READINGS = 1000;
    private static final int REPLACEMENTS = 10;

    private static final SimulatedTray ONE_GPU =
            TrayPreset.GB200.tray().withGpus(TrayPreset.GB200.tray().gpus().subList(0, 1));

    /** For what the JVM itself may open meanwhile. */
    private static final int OTHERS = 30;

    enum Agent {
        OBSERVING,
        SERVING,
        EVENTS_OFF
    }

    @TempDir
    private Path directory;

    private FakeNvmlLibrary driver;
    private Nvml nvml;
    private NvmlProbe probe;
    private final AtomicInteger listening = new AtomicInteger();

    @BeforeEach
    void driver() throws IOException {
        driver = FakeNvmlLibrary.compile(Files.createDirectories(directory.resolve("driver")))
                .initialisedAtOnce();
        driver.write(ONE_GPU);
        nvml = new JnaNvml(driver.driverRoot(), List.of(), Optional.empty());
        probe = new NvmlProbe(nvml, directory);
        read();
    }

    @ParameterizedTest
    @EnumSource
    void readingsLeaveNothingOpen(Agent agent) throws Exception {
        try (GpuEventWatch watch = watch(agent)) {
            int all = descriptors("");
            int left = descriptors("[eventfd]");

            for (int reading = 0; reading < READINGS; reading++) {
                read();
            }

            assertThat(descriptors("[eventfd]")).isEqualTo(left);
            assertThat(descriptors("")).isLessThan(all + OTHERS);
            assertThat(watch).isNotNull();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDriverThatIsReplacedLeavesOneAtMost(Agent agent) throws Exception {
        try (GpuEventWatch watch = watch(agent)) {
            int left = descriptors("[eventfd]");

            for (int reading = 0; reading < READINGS; reading++) {
                if (reading % (READINGS / REPLACEMENTS) == 0) {
                    replace();
                }
                read();
            }

            assertThat(descriptors("[eventfd]")).isLessThanOrEqualTo(left + REPLACEMENTS);
            assertThat(watch).isNotNull();
        }
    }

    @Test
    void whoListensLetsGoOfALibraryThatWasReplaced() throws Exception {
        try (GpuEventWatch watch = watch(Agent.SERVING)) {
            replace();
            // Ends the wait that is under way.
            driver.emit(0, EventType.XID, 43);

            while (listening.get() < 2) {
                Thread.sleep(5);
            }
            assertThat(Files.readString(Path.of("/proc/self/maps")))
                    .doesNotContain(driver.library() + " (deleted)")
                    .contains(driver.library().toString());
            assertThat(watch).isNotNull();
        }
    }

    private void read() {
        assertThat(probe.read().driver()).isInstanceOf(DriverState.LoadedDriver.class);
    }

    /** What of the agent listens for events, once it does. */
    private GpuEventWatch watch(Agent agent) throws InterruptedException {
        var watch = new GpuEventWatch(
                nvml,
                () -> agent == Agent.SERVING,
                () -> {},
                new GpuEventObserver() {
                    @Override
                    public void listening(boolean listens) {
                        listening.addAndGet(listens ? 1 : 0);
                    }

                    @Override
                    public void xid(String gpu, long number) {}
                },
                new XidLog(directory),
                InstantSource.system(),
                Duration.ofMillis(5));
        if (agent != Agent.OBSERVING) {
            watch.start();
        }
        while (agent == Agent.SERVING && listening.get() == 0) {
            Thread.sleep(5);
        }
        return watch;
    }

    /** Puts a copy in the library's place, as a package does that is updated. */
    private void replace() throws IOException {
        Path copy = Files.copy(driver.library(), driver.library().resolveSibling("new"));
        Files.move(copy, driver.library(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** How many descriptors of this process lead to what ends like this. */
    private static int descriptors(String target) throws IOException {
        int count = 0;
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            for (Path link : links.toList()) {
                try {
                    count += Files.readSymbolicLink(link).toString().endsWith(target) ? 1 : 0;
                } catch (NoSuchFileException closed) {
                    // Such as the descriptor of the listing itself.
                }
            }
        }
        return count;
    }
}
