package io.imexagent.core.inventory;

import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;

/**
 * The Xids that an agent has heard since the boot. NVML tells an Xid to who listens at that moment and not later,
 * so what happened while no agent listened is not in it; the kernel log has that.
 *
 * @param since when an agent of this boot listened for the first time
 * @param heard what was heard, by GPU and Xid
 */
public record XidHistory(Instant since, List<Heard> heard) {

    public XidHistory {
        heard = List.copyOf(heard);
    }

    /**
     * An Xid of a GPU.
     *
     * @param gpu NVML's index of the GPU; empty where the driver named none that there is
     * @param number the Xid
     * @param cause whose doing it is
     * @param count how often it was heard, from 1
     * @param first when it was heard first
     * @param last when it was heard last
     */
    public record Heard(OptionalInt gpu, long number, Cause cause, long count, Instant first, Instant last) {}

    /** Whose doing an Xid is. */
    public enum Cause {
        /** A program on the GPU; it leaves the GPU as it was. */
        PROGRAM,
        /** The GPU, or what it hangs on. */
        GPU
    }
}
