package io.imexagent.imex.probe;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.dra.worker.Worker;
import io.imexagent.imex.probe.HostProbe.HostFacts;
import io.imexagent.nvml.Nvml;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the whole node into one inventory: the host's files here, NVML on its worker, under a deadline. A driver that
 * hangs costs its worker; it is told as a finding, and asked again only after it has let go.
 */
public final class InventoryReader {

    private final HostProbe host;
    private final NvmlProbe nvml;
    private final Worker worker;
    private final Duration deadline;
    private final Clock clock;
    private final Function<NvmlFacts, Optional<Finding>> skipped;
    private @Nullable CompletableFuture<NvmlFacts> hanging;

    /**
     * A reader.
     *
     * @param hostRoot the folder under which the host's {@code proc}, {@code sys} and {@code dev} stand
     * @param deadline how long NVML may take
     * @param skipped finds a start of nvidia-imex that the gate has skipped
     */
    public InventoryReader(
            Path hostRoot,
            Nvml nvml,
            Worker worker,
            Duration deadline,
            Clock clock,
            Function<NvmlFacts, Optional<Finding>> skipped) {
        this.host = new HostProbe(hostRoot, HostProbe.DeviceStat.OF_FILES);
        this.nvml = new NvmlProbe(nvml);
        this.worker = worker;
        this.deadline = deadline;
        this.clock = clock;
        this.skipped = skipped;
    }

    /** What the host's files say, at once; NVML counts as not read yet. */
    public NodeInventory withoutNvml() {
        return inventory(host.read(), NvmlFacts.failing("NVML has not been read yet"));
    }

    /** Reads the node. Blocks for the deadline of NVML at most. */
    public synchronized NodeInventory read() throws InterruptedException {
        CompletableFuture<NvmlFacts> reading =
                hanging == null || hanging.isDone() ? worker.submit(nvml::read) : hanging;
        HostFacts files = host.read();
        return inventory(files, await(reading));
    }

    private NodeInventory inventory(HostFacts files, NvmlFacts told) {
        var findings = new ArrayList<>(told.findings());
        findings.addAll(files.findings());
        skipped.apply(told).ifPresent(findings::add);
        return new NodeInventory(
                clock.instant(),
                told.driver(),
                told.gpus(),
                told.clique(),
                files.channelMajor(),
                files.channelCount(),
                files.channelNode(),
                files.bootId(),
                files.vendor(),
                findings);
    }

    private NvmlFacts await(CompletableFuture<NvmlFacts> reading) throws InterruptedException {
        hanging = null;
        try {
            return reading.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException hangs) {
            hanging = reading;
            // The same words each time: an inventory that tells the same is no change.
            return failing(
                    "nvml-hangs",
                    "NVML does not answer within " + seconds(deadline) + " s",
                    "look at the kernel log for NVRM and Xid messages; a GPU reset or a reboot may be needed");
        } catch (ExecutionException defect) {
            return failing(
                    "nvml-unreadable", "reading NVML failed: " + defect.getCause(), "report this defect with the log");
        }
    }

    private static String seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    private static NvmlFacts failing(String code, String message, String remedy) {
        return NvmlFacts.without(new DriverState.Failing(message), Finding.error(code, message, remedy));
    }
}
