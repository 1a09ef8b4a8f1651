package io.imexagent.imex.gate;

import io.imexagent.imex.probe.Machine;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The gate's questions, answered by the files of a host and by NVML. */
record HostQuestions(Path root, Machine machine, Supplier<NvmlFacts> nvml, LongSupplier nanoTime, long startedAt)
        implements Gate.Questions {

    HostQuestions(Path root, Supplier<NvmlFacts> nvml, LongSupplier nanoTime, Duration age) {
        this(root, new Machine(root), nvml, nanoTime, nanoTime.getAsLong() - age.toNanos());
    }

    @Override
    public boolean driverUp() throws IOException {
        return driverUp(Files.readString(root.resolve("proc/devices"), StandardCharsets.ISO_8859_1));
    }

    /**
     * Whether the text of {@code /proc/devices} lists character devices of NVIDIA's driver: {@code 195 nvidiactl}.
     */
    static boolean driverUp(String procDevices) {
        return procDevices
                .lines()
                .takeWhile(line -> !line.startsWith("Block devices:"))
                .map(String::strip)
                .anyMatch(line -> line.startsWith("nvidia", line.indexOf(' ') + 1));
    }

    /** Queries NVML on a daemon thread, which does not keep the process alive; a hanging driver keeps the thread. */
    @Override
    public NvmlFacts nvml(Duration within) throws InterruptedException {
        try {
            return CompletableFuture.supplyAsync(
                            nvml, Thread.ofPlatform().name("gate-nvml").daemon()::start)
                    .get(Math.max(0, within.toMillis()), TimeUnit.MILLISECONDS);
        } catch (TimeoutException hangs) {
            return NvmlFacts.failing("NVML did not answer within " + within.toSeconds()
                    + " s; look at the kernel log for NVRM and Xid messages");
        } catch (ExecutionException defect) {
            return NvmlFacts.failing("reading NVML failed: " + defect.getCause());
        }
    }

    @Override
    public void pause(Duration time) throws InterruptedException {
        Thread.sleep(time);
    }

    @Override
    public Duration elapsed() {
        return Duration.ofNanos(nanoTime.getAsLong() - startedAt);
    }
}
