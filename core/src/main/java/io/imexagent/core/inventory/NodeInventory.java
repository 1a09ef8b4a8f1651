package io.imexagent.core.inventory;

import io.imexagent.core.ledger.BootId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The node at one moment: everything that planners may know about the host.
 *
 * @param takenAt when it was read
 * @param driver the NVIDIA driver
 * @param gpus the GPUs, by index
 * @param clique where the node stands in the NVLink fabric
 * @param channelMajor the device major of IMEX channels
 * @param channelCount how many channels the driver offers ({@code ImexChannelCount}); empty where it does not say
 * @param channelNode the host's node of channel 0
 * @param bootId the running boot; empty where the kernel's file could not be read
 * @param vendor the DMI system vendor; empty where there is none
 * @param findings what an operator should know, in the order in which it was found
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

    public NodeInventory {
        gpus = List.copyOf(gpus);
        findings = List.copyOf(findings);
    }

    /** Whether this inventory tells the same as the other, apart from the time. */
    public boolean tellsTheSameAs(NodeInventory other) {
        return equals(other.takenAt(takenAt));
    }

    private NodeInventory takenAt(Instant time) {
        return new NodeInventory(
                time, driver, gpus, clique, channelMajor, channelCount, channelNode, bootId, vendor, findings);
    }
}
