package io.imexagent.imex.gate;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.probe.Machine;
import io.imexagent.imex.probe.Machine.PciGpu;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The agent's findings on the gate's input: a start that was skipped, and a GPU of a rack whose driver reports that it
 * supports no NVLink fabric.
 */
public record GateFindings(Path hostRoot, Supplier<ImexServiceSettings> service) {

    /** The findings for the current answers of NVML. */
    public List<Finding> of(NvmlFacts now) {
        return Stream.of(rackWithoutFabric(now), new SkippedStart(hostRoot, service).finding(now))
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * A finding if all GPUs report "not supported" on a rack: so does a virtual machine's GPU, or a driver that lacks
     * the call.
     */
    private Optional<Finding> rackWithoutFabric(NvmlFacts now) {
        boolean saysNone = now.driver() instanceof DriverState.LoadedDriver
                && !now.gpus().isEmpty()
                && now.gpus().stream().allMatch(gpu -> gpu.fabric() instanceof Gpu.GpuFabric.NoFabric)
                && now.findings().stream().noneMatch(finding -> finding.code().equals(NodeInventory.SIMULATED));
        return saysNone ? listed().map(GateFindings::doubtful) : Optional.empty();
    }

    private Optional<PciGpu> listed() {
        try {
            return Gate.listed(new Machine(hostRoot).gpus(), service.get());
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    private static Finding doubtful(PciGpu gpu) {
        return Finding.warning(
                NodeInventory.RACK_WITHOUT_FABRIC,
                "NVML says that no GPU supports an NVLink fabric, and the GPU at " + gpu.address() + " (10de:"
                        + gpu.device() + ") is one of a multi-node fabric by its PCI device (imex.service.pciDevices)",
                "look at the driver's version and at how the GPUs are given to this machine; until then no claim is prepared"
                        + " without a channel here (imex.cliqueMissing)");
    }
}
