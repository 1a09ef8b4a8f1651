package io.imexagent.core.inventory;

import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;

/**
 * The Xids that an agent received since it first registered for them in this boot, by GPU and Xid. NVML delivers an Xid
 * only to processes that are registered at that moment; earlier Xids are in the kernel log alone.
 */
public record XidHistory(Instant since, List<XidEvent> events) {

    public XidHistory {
        events = List.copyOf(events);
    }

    /** An Xid of a GPU. The GPU is NVML's index; empty if the driver named no GPU of the node. */
    public record XidEvent(OptionalInt gpu, long number, XidCause cause, long count, Instant first, Instant last) {}

    /** What causes an Xid. */
    public enum XidCause {
        /** A program on the GPU; the GPU itself is unaffected. */
        PROGRAM,
        GPU
    }
}
