package io.imexagent.nvml;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** A set of registrations for events of GPUs, with a queue of those that came; owned by its session's thread. */
public interface NvmlEventSet extends AutoCloseable {
    /**
     * Registers for later events of one GPU. One that lacks any of the types answers {@code NOT_SUPPORTED} and is not
     * registered.
     */
    void register(int deviceIndex, Set<EventType> types) throws NvmlException;

    /** Waits for the next event; empty when none comes within the timeout, zero to 2³¹ − 1 whole milliseconds. */
    Optional<NvmlEvent> await(Duration timeout) throws NvmlException;

    /** Drops all registrations; a second call, and one after the session's end, do nothing. */
    @Override
    void close() throws NvmlException;

    /**
     * An event of a GPU, which is empty when the driver named one that was not registered; the data is the Xid for
     * {@link EventType#XID}, otherwise what the driver chose to add, unsigned.
     */
    record NvmlEvent(OptionalInt deviceIndex, Numbered<EventType> type, long data) {}
}
