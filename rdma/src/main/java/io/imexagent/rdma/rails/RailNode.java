package io.imexagent.rdma.rails;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.rdma.inventory.RdmaDeviceName;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.selection.Selection;
import java.util.List;
import java.util.Optional;

/**
 * The node as a claim's plan sees it.
 *
 * @param topologyFile the topology file that it is configured with, where that is there
 * @param netdev whether its container runtime can move an interface
 */
public record RailNode(
        RdmaInventory inventory,
        Selection selection,
        Optional<String> topologyFile,
        Management management,
        NetdevSupport netdev) {

    /** Finds the nodes for management of an RDMA device. */
    @FunctionalInterface
    public interface Management {

        /** Finds none. */
        Management NONE = (device, umad, issm) -> List.of();

        /**
         * The nodes of the device's ports.
         *
         * @param umad whether those for datagrams are wanted
         * @param issm whether those of a subnet manager are
         */
        List<ClaimEdits.Node> of(RdmaDeviceName device, boolean umad, boolean issm);
    }
}
