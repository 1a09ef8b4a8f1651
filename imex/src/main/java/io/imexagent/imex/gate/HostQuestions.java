package io.imexagent.imex.gate;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.imex.gate.Machine.PciGpu;
import io.imexagent.imex.probe.NvmlFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Asks the host whose files stand under a root. */
final class HostQuestions implements Gate.Questions {

    private final Path root;
    private final Machine machine;
    private final Supplier<NvmlFacts> nvml;
    private final LongSupplier nanoTime;
    private final long asked;

    /** Questions as {@link Gate#Gate(Path, ImexServiceSettings, Supplier, LongSupplier, Duration)} takes them. */
    HostQuestions(Path root, Supplier<NvmlFacts> nvml, LongSupplier nanoTime, Duration age) {
        this.root = root;
        this.machine = new Machine(root);
        this.nvml = nvml;
        this.nanoTime = nanoTime;
        this.asked = nanoTime.getAsLong() - age.toNanos();
    }

    @Override
    public Optional<String> vendor() throws IOException {
        return machine.vendor();
    }

    @Override
    public List<PciGpu> pciGpus() throws IOException {
        return machine.gpus();
    }

    @Override
    public boolean driverUp() throws IOException {
        return driverUp(Files.readString(root.resolve("proc/devices"), StandardCharsets.ISO_8859_1));
    }

    /** Whether the text of {@code /proc/devices} lists character devices of NVIDIA's driver: {@code 195 nvidiactl}. */
    static boolean driverUp(String procDevices) {
        return procDevices
                .lines()
                .takeWhile(line -> !line.startsWith("Block devices:"))
                .map(String::strip)
                .anyMatch(line -> line.startsWith("nvidia", line.indexOf(' ') + 1));
    }

    /** The thread that asks is lost where the driver hangs; a daemon's thread does not keep the process alive. */
    @Override
    public NvmlFacts nvml(Duration within) throws InterruptedException {
        try {
            return CompletableFuture.supplyAsync(
                            nvml, Thread.ofPlatform().name("gate-nvml").daemon()::start)
                    .get(Math.max(0, within.toMillis()), TimeUnit.MILLISECONDS);
        } catch (TimeoutException hangs) {
            return failing("NVML did not answer within " + within.toSeconds()
                    + " s; look at the kernel log for NVRM and Xid messages");
        } catch (ExecutionException defect) {
            return failing("reading NVML failed: " + defect.getCause());
        }
    }

    @Override
    public void pause(Duration time) throws InterruptedException {
        Thread.sleep(time);
    }

    @Override
    public Duration elapsed() {
        return Duration.ofNanos(nanoTime.getAsLong() - asked);
    }

    private static NvmlFacts failing(String reason) {
        return NvmlFacts.without(new DriverState.Failing(reason), reason);
    }
}
