package io.imexagent.core.inventory;

import io.imexagent.core.ledger.BootId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The node at one moment: everything that planners may know about the host. GPUs come by index; {@code channelCount} is
 * {@code ImexChannelCount}; {@code channelNode} is the host's node of channel 0; findings stand in the order in which
 * they were found. A value that the host does not report is empty.
 */
public record NodeInventory(
        Instant takenAt,
        DriverState driver,
        List<Gpu> gpus,
        CliqueState clique,
        ChannelMajor channelMajor,
        OptionalInt channelCount,
        ChannelNode channelNode,
        Optional<BootId> bootId,
        Optional<String> vendor,
        List<Finding> findings) {

    /** The code of the finding that NVML is simulated. */
    public static final String SIMULATED = "nvml-simulated";

    /** The code of the finding that NVML lacks a GPU of the PCI bus, which so reports nothing. */
    public static final String NOT_LISTED = "gpu-not-listed";

    /** The code of the finding that the driver is configured to exclude a GPU, which therefore reports nothing. */
    public static final String EXCLUDED = "gpu-excluded";

    /** The code of the finding that the PCI bus cannot be read, so that a GPU may be missing. */
    public static final String BUS_UNREADABLE = "pci-bus-unreadable";

    /** The code of the finding that NVML reports no fabric support for GPUs of a rack. */
    public static final String RACK_WITHOUT_FABRIC = "rack-gpu-without-fabric";

    /** The codes of findings that make NVML's list of GPUs incomplete or doubtful. */
    private static final Set<String> DOUBTS = Set.of(NOT_LISTED, EXCLUDED, BUS_UNREADABLE, RACK_WITHOUT_FABRIC);

    public NodeInventory {
        gpus = List.copyOf(gpus);
        findings = List.copyOf(findings);
    }

    /** Whether driver and GPUs are simulated. */
    public boolean simulated() {
        return findings.stream().anyMatch(finding -> finding.code().equals(SIMULATED));
    }

    /**
     * Whether the host has GPUs, each of them reports that it supports no NVLink fabric, and no finding casts doubt on
     * that.
     */
    public boolean withoutFabric() {
        return !gpus.isEmpty()
                && gpus.stream().allMatch(gpu -> gpu.fabric() instanceof Gpu.GpuFabric.NoFabric)
                && findings.stream().noneMatch(finding -> DOUBTS.contains(finding.code()));
    }

    /** Whether both inventories are equal apart from their time. */
    public boolean hasSameContentAs(NodeInventory other) {
        return equals(other.takenAt(takenAt));
    }

    private NodeInventory takenAt(Instant time) {
        return new NodeInventory(
                time, driver, gpus, clique, channelMajor, channelCount, channelNode, bootId, vendor, findings);
    }
}
