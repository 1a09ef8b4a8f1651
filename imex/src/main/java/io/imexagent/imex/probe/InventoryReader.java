package io.imexagent.imex.probe;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import io.imexagent.nvml.Nvml;
import io.imexagent.worker.BoundedCall;
import io.imexagent.worker.Worker;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/**
 * Reads the whole node into one inventory: NVML and the host's files, each on a worker of its own and with a deadline.
 * A driver that hangs, in its library or in a file that it serves, blocks only its worker. The hang becomes a finding,
 * and the part is read again only after the call has returned.
 */
public final class InventoryReader {

    private static final Finding SIMULATED = Finding.warning(
            NodeInventory.SIMULATED,
            "NVML is simulated (nvml.simulate): driver, GPUs and clique are not those of this host",
            "unset nvml.simulate, and leave out --simulate, on a host with workloads");

    private final HostProbe host;
    private final GpusOnBus bus;
    private final NvmlProbe nvml;
    private final Duration deadline;
    private final BoundedCall<NvmlFacts> nvmlCalls;
    private final BoundedCall<NodeInventory> fileCalls;
    private final Clock clock;
    private final Function<NvmlFacts, List<Finding>> gate;
    private Optional<BootId> boot;
    private Optional<String> vendor = Optional.empty();

    /**
     * Creates a reader of the host with its {@code proc}, {@code sys} and {@code dev} below the root. The deadline
     * applies to NVML and to the files, each on its worker; {@code gate} returns the findings on the gate's input.
     */
    public InventoryReader(
            Path hostRoot,
            Nvml nvml,
            Worker nvmlWorker,
            Worker fileWorker,
            Duration deadline,
            Clock clock,
            Function<NvmlFacts, List<Finding>> gate) {
        this.host = new HostProbe(hostRoot, DeviceStat.OF_FILES);
        this.bus = new GpusOnBus(new Machine(hostRoot));
        this.nvml = new NvmlProbe(nvml, hostRoot);
        this.deadline = deadline;
        this.nvmlCalls = new BoundedCall<>(nvmlWorker, deadline);
        this.fileCalls = new BoundedCall<>(fileWorker, deadline);
        this.clock = clock;
        this.gate = gate;
        // The kernel itself serves this file, so the boot is known even if the driver hangs from the start.
        this.boot = host.bootId(new ArrayList<>());
    }

    /** Reads the host's files within their deadline; NVML counts as not read yet. */
    public NodeInventory withoutNvml() throws InterruptedException {
        return inventory(NvmlFacts.failing("NVML has not been read yet"));
    }

    /** Reads the node. Blocks for both deadlines at most, or twice that if a call that hung has just returned. */
    public synchronized NodeInventory read() throws InterruptedException {
        return inventory(nvmlFacts());
    }

    private NodeInventory inventory(NvmlFacts reading) throws InterruptedException {
        NvmlFacts facts = nvml.nvml().simulated() ? reading.with(SIMULATED) : reading;
        try {
            NodeInventory read = fileCalls
                    .result(() -> host.read(onBus(facts), gate.apply(facts), clock))
                    .orElseGet(() -> hanging(facts));
            boot = read.bootId();
            vendor = read.vendor();
            return read;
        } catch (ExecutionException defect) {
            throw new IllegalStateException("the host's files could not be read", defect.getCause());
        }
    }

    /** Compares the facts with the bus; not the GPUs of a simulation, which are on no bus. */
    private NvmlFacts onBus(NvmlFacts facts) {
        return nvml.nvml().simulated() ? facts : bus.check(facts);
    }

    /** The inventory while the files hang, with machine and boot, which cannot change while this process runs. */
    private NodeInventory hanging(NvmlFacts facts) {
        String what = "files below /proc, /sys or /dev do not answer within " + seconds(deadline) + " s";
        var findings = new ArrayList<>(facts.findings());
        findings.add(Finding.critical(
                "host-files-hang",
                what,
                "look at the kernel log for hung tasks and for NVRM messages; a reboot may be needed"));
        return new NodeInventory(
                clock.instant(),
                facts.driver(),
                facts.gpus(),
                facts.clique(),
                new ChannelMajor.UnknownMajor(what),
                OptionalInt.empty(),
                new ChannelNode.UnusableNode(what),
                boot,
                vendor,
                findings);
    }

    private NvmlFacts nvmlFacts() throws InterruptedException {
        try {
            // The message is the same each time, so that the inventory counts as unchanged.
            return nvmlCalls
                    .result(nvml::read)
                    .orElseGet(() -> failing(
                            "nvml-hangs",
                            "NVML does not answer within " + seconds(deadline) + " s",
                            "look at the kernel log for NVRM and Xid messages; a GPU reset or a reboot may be needed"));
        } catch (ExecutionException defect) {
            return failing(
                    "nvml-unreadable", "reading NVML failed: " + defect.getCause(), "report this defect with the log");
        }
    }

    private static String seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    private static NvmlFacts failing(String code, String message, String remedy) {
        return NvmlFacts.without(new DriverState.FailingDriver(message), Finding.critical(code, message, remedy));
    }
}
