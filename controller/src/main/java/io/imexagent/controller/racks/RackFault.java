package io.imexagent.controller.racks;

import io.imexagent.core.check.Severity;
import io.imexagent.core.text.DisplayedName;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A fault of a rack, with its consequences.
 *
 * @param severity the worst of the fault and of its consequences
 * @param nodes the nodes at fault, by name; empty if the whole rack is at fault
 * @param text a sentence without its full stop
 * @param step the remedy, a sentence without its full stop; empty if the text contains it
 * @param since the earliest recorded time of the fault; empty if none is recorded
 * @param consequences each a number and what it counts, as in {@code 17 connections lost}
 */
public record RackFault(
        RackFaultKind kind,
        Severity severity,
        List<String> nodes,
        String text,
        String step,
        Optional<Instant> since,
        List<String> consequences) {

    public RackFault {
        nodes = List.copyOf(nodes);
        consequences = List.copyOf(consequences);
    }

    /** The fault and its consequences in one line. */
    public String line() {
        return consequences.isEmpty() ? text : text + "; and " + String.join(", ", consequences);
    }

    /** The kinds of faults, those that explain others first. The text is the word for metrics and documents. */
    public enum RackFaultKind implements DisplayedName {
        /** The Node is NotReady or missing. */
        NODE,
        /** The node's own verdict on its nvidia-imex. */
        DAEMON,
        NO_REPORT,
        /** A critical finding of the node's agent. */
        FINDINGS,
        /** A node of the IMEX domain that has no clique, as after its GPUs have left the fabric. */
        NO_CLIQUE,
        CHANNELS,
        NODES_FILE,
        DRIVERS,
        /** The rack is in several parts without connections between them, or one node is alone. */
        PARTITION,
        /** A node with two or more lost or degraded connections. */
        NODE_CONNECTIONS,
        CONNECTION,
        /** Addresses of the IMEX domain that belong to no node of the rack. */
        ADDRESSES,
        /** Imports of the fabric test fail. */
        IMPORTS,
        /** A verdict about other nodes that nothing else explains. */
        DOMAIN,
        NO_CONNECTIONS,
        GPUS
    }
}
