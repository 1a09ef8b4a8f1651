package io.imexagent.rdma.dra;

import io.imexagent.core.slice.Device;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A rail that is published, with a memory: what changes must stay so for a while before anybody is told, so that a link
 * that comes and goes does not rewrite the slices each time. Prepare does not go by this: it looks at the node itself.
 *
 * @param device what is published of it, as it was when it was last seen in the state that counts, without taints
 * @param settled its state that counts
 * @param seen its state at the last look
 * @param since when it was seen to differ from what counts; empty where it does not
 */
public record PublishedRail(Device device, RailState settled, RailState seen, Optional<Instant> since) {

    /** A rail that is seen for the first time: what is seen counts. */
    static PublishedRail first(Device device, RailState seen) {
        return new PublishedRail(device, seen, seen, Optional.empty());
    }

    /** This rail after another look. */
    PublishedRail looked(Device now, RailState state, Instant at, Duration after) {
        if (state.getClass().equals(settled.getClass())) {
            return new PublishedRail(now, state, state, Optional.empty());
        }
        Instant from = since.orElse(at);
        return Duration.between(from, at).compareTo(after) >= 0
                ? first(now, state)
                : new PublishedRail(device, settled, state, Optional.of(from));
    }

    /** When its state begins to count, where that is still to come. */
    Optional<Instant> due(Duration after) {
        return since.map(from -> from.plus(after));
    }

    /** The device with the taint that its state calls for. */
    Device tainted() {
        return switch (settled) {
            case RailState.Up up -> device;
            case RailState.Down down -> withTaint(down.cause());
            case RailState.Withdrawn withdrawn -> withTaint("withdrawn");
        };
    }

    private Device withTaint(String value) {
        var taint = new Device.Taint(RailDriver.TAINT, value, Device.Taint.Effect.NO_SCHEDULE);
        return new Device(device.name(), device.attributes(), List.of(taint));
    }
}
