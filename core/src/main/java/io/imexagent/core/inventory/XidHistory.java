package io.imexagent.core.inventory;

import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;

/**
 * The Xids that an agent has heard since it listened for the first time in this boot, by GPU and Xid. NVML tells an Xid
 * to who listens at that moment, so what happened while no agent listened is in the kernel log alone.
 */
public record XidHistory(Instant since, List<XidEvent> events) {

    public XidHistory {
        events = List.copyOf(events);
    }

    /** An Xid of a GPU by NVML's index, empty where the driver named none that is there. */
    public record XidEvent(OptionalInt gpu, long number, XidCause cause, long count, Instant first, Instant last) {}

    /** Whose doing an Xid is. */
    public enum XidCause {
        /** A program on the GPU; it leaves the GPU as it was. */
        PROGRAM,
        GPU
    }
}
