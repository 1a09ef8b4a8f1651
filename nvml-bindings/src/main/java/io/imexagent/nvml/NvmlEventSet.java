package io.imexagent.nvml;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A set of registrations for events of GPUs, with a queue of those that came; owned by its session's thread. */
public interface NvmlEventSet extends AutoCloseable {
    /**
     * Registers for events of one GPU; events from before the registration are not delivered.
     *
     * @param deviceIndex the index of the GPU
     * @param types what to hear of; a GPU that lacks one of them answers {@code NOT_SUPPORTED} and is not registered
     */
    void register(int deviceIndex, Set<EventType> types) throws NvmlException;

    /**
     * Waits for the next event, at most for the timeout; empty when none came.
     *
     * @param timeout zero or more, cut to whole milliseconds and to 2³¹ − 1 of them
     */
    Optional<NvmlEvent> await(Duration timeout) throws NvmlException;

    /** Drops all registrations; a second call, and one after the session's end, do nothing. */
    @Override
    void close() throws NvmlException;
}
