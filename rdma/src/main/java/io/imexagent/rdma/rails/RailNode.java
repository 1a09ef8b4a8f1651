package io.imexagent.rdma.rails;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.rdma.inventory.RdmaDeviceName;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.selection.Selection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * The node as a claim's plan sees it.
 *
 * @param topologyFile the topology file that it is configured with, where that is there
 * @param ncclGidIndex whether claims are told the GID index where it is the same on all their NICs
 * @param management finds the nodes for management of a device that a claim is configured to get
 */
public record RailNode(
        RdmaInventory inventory,
        Selection selection,
        Optional<String> topologyFile,
        boolean ncclGidIndex,
        BiFunction<RdmaDeviceName, RailConfig, List<ClaimEdits.Node>> management,
        NetdevSupport netdev) {}
