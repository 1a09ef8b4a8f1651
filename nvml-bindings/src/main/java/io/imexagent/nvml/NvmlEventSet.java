package io.imexagent.nvml;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** A set of registrations for events of GPUs, with a queue of received events; owned by its session's thread. */
public interface NvmlEventSet extends AutoCloseable {
    /**
     * Registers for later events of one GPU. A GPU that lacks any of the types answers {@code NOT_SUPPORTED} and is not
     * registered.
     */
    void register(int deviceIndex, Set<EventType> types) throws NvmlException;

    /** Waits for the next event; empty if none comes within the timeout, zero to 2³¹ − 1 whole milliseconds. */
    Optional<NvmlEvent> await(Duration timeout) throws NvmlException;

    /** Drops all registrations; a second call, and one after the session's end, do nothing. */
    @Override
    void close() throws NvmlException;

    /**
     * An event of a GPU. The GPU is empty if the driver named one that was not registered. The data is the Xid for
     * {@link EventType#XID}, otherwise a value of the driver's choice, unsigned.
     */
    record NvmlEvent(OptionalInt deviceIndex, Numbered<EventType> type, long data) {}

    /** A kind of event of a GPU ({@code nvmlEventType*}) that this project listens for; the number is a bit. */
    enum EventType implements Numbered.NvmlConstant {
        /** A critical error of the GPU or of a program on it; the event's data is the Xid. */
        XID(0x8),
        GPU_UNAVAILABLE(0x4000),
        /** The action that would recover the GPU changed; {@link NvmlDevice#recoveryAction()} returns it. */
        RECOVERY_ACTION(0x8000);

        private final long number;

        EventType(long number) {
            this.number = number;
        }

        @Override
        public long number() {
            return number;
        }
    }
}
