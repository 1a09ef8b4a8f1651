package io.imexagent.rdma.dra;

import io.imexagent.core.claim.AllocatedDevice;
import java.util.List;

/**
 * What a claim asks of this node's rails, read from its status alone.
 *
 * @param devices the allocated devices, at least one
 * @param config what is wanted with them
 */
public record RailDemand(List<AllocatedDevice> devices, RailConfig config) {

    /** Copies the list in. */
    public RailDemand {
        devices = List.copyOf(devices);
    }
}
