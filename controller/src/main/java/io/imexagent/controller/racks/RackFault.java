package io.imexagent.controller.racks;

import io.imexagent.core.check.Severity;
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
    public enum RackFaultKind {
        /** The Node is NotReady or missing. */
        NODE("node"),
        /** The node's own verdict on its nvidia-imex. */
        DAEMON("daemon"),
        NO_REPORT("no-report"),
        /** A critical finding of the node's agent. */
        FINDINGS("findings"),
        /** A node of the IMEX domain that has no clique, as after its GPUs have left the fabric. */
        NO_CLIQUE("no-clique"),
        CHANNELS("channels"),
        NODES_FILE("nodes-file"),
        DRIVERS("drivers"),
        /** The rack is in several parts without connections between them, or one node is alone. */
        PARTITION("partition"),
        /** A node with two or more lost or degraded connections. */
        NODE_CONNECTIONS("node-connections"),
        CONNECTION("connection"),
        /** Addresses of the IMEX domain that belong to no node of the rack. */
        ADDRESSES("addresses"),
        /** Imports of the fabric test fail. */
        IMPORTS("imports"),
        /** A verdict about other nodes that nothing else explains. */
        DOMAIN("domain"),
        NO_CONNECTIONS("no-connections"),
        GPUS("gpus");

        private final String text;

        RackFaultKind(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }
}
