package io.imexagent.core.inventory;

import io.imexagent.core.ledger.BootId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The node at one moment: everything that planners may know about the host. GPUs come by index; {@code channelCount} is
 * {@code ImexChannelCount}; {@code channelNode} is the host's node of channel 0; findings come in the order in which
 * they were found. What the host does not tell is empty.
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
