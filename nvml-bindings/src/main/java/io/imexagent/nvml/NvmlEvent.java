package io.imexagent.nvml;

import java.util.OptionalInt;

/**
 * An event that a GPU reported.
 *
 * @param deviceIndex the GPU; empty when the driver named one that was not registered
 * @param data the Xid for {@link EventType#XID}, otherwise what the driver chose to add, unsigned
 */
public record NvmlEvent(OptionalInt deviceIndex, Numbered<EventType> type, long data) {}
