package io.imexagent.controller.racks;

import io.imexagent.core.check.Severity;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A fault of a rack, with what follows from it.
 *
 * @param severity the worst of the fault and of its consequences
 * @param nodes those that are at fault, by name; empty where the fault is the whole rack's
 * @param text a sentence without its full stop
 * @param step what to do next, a sentence without its full stop; empty where the text has it
 * @param since the earliest time that is recorded of it; empty where none is
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

    /** What a fault is, those first that explain others; the text is a word for metrics and documents. */
    public enum RackFaultKind {
        /** The cluster calls the Node NotReady, or has none. */
        NODE("node"),
        /** The node's own verdict on its nvidia-imex. */
        DAEMON("daemon"),
        NO_REPORT("no-report"),
        CHANNELS("channels"),
        NODES_FILE("nodes-file"),
        DRIVERS("drivers"),
        /** The nodes are in several parts that are not connected, or one of them is alone. */
        PARTITION("partition"),
        /** A node with two or more lost or degraded connections. */
        NODE_CONNECTIONS("node-connections"),
        CONNECTION("connection"),
        /** Addresses of the IMEX domain that no node here has. */
        ADDRESSES("addresses"),
        /** The fabric test fails. */
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
