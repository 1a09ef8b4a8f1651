package io.imexagent.rdma.rails;

import io.imexagent.core.slice.Device;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A rail that is published, with a memory: a change must last for a while before it is published, so that a link
 * that comes and goes does not rewrite the slices each time.
 *
 * @param device what is published of it, as it was when it was last seen in the state that counts, without taints
 * @param settled its state that counts
 * @param seen its state at the last look
 * @param since when it was seen to differ from what counts; empty where it does not
 */
public record PublishedRail(Device device, State settled, State seen, Optional<Instant> since) {

    /** One look at a rail, or a rail that is seen for the first time: what is seen counts. */
    static PublishedRail first(Device device, State seen) {
        return new PublishedRail(device, seen, seen, Optional.empty());
    }

    PublishedRail looked(PublishedRail look, Instant at, Duration after) {
        Instant from = since.orElse(at);
        return look.seen.getClass().equals(settled.getClass())
                        || Duration.between(from, at).compareTo(after) >= 0
                ? look
                : new PublishedRail(device, settled, look.seen, Optional.of(from));
    }

    /** When its state begins to count, where that is still to come. */
    Optional<Instant> due(Duration after) {
        return since.map(from -> from.plus(after));
    }

    /** The device with the taint that its state calls for. */
    Device tainted() {
        return switch (settled) {
            case State.Up _ -> device;
            case State.Down down -> withTaint(down.cause());
            case State.Withdrawn _ -> withTaint("withdrawn");
        };
    }

    private Device withTaint(String value) {
        var taint = new Device.Taint(RailDriver.TAINT, value, Device.Taint.Effect.NO_SCHEDULE);
        return new Device(device.name(), device.attributes(), List.of(taint));
    }

    /** Whether a published rail can carry traffic, as far as it was looked at last. */
    public sealed interface State {

        /** All that {@link #text} can be. */
        List<String> TEXTS = List.of("up", "down", "withdrawn");

        /** The state in a word, fit for a label. */
        default String text() {
            return switch (this) {
                case Up _ -> "up";
                case Down _ -> "down";
                case Withdrawn _ -> "withdrawn";
            };
        }

        /** It can. */
        record Up() implements State {}

        /** It cannot now, and may again: the cause in lower-case words joined by hyphens, the reason as a clause. */
        record Down(String cause, String reason) implements State {}

        /** It is there only for the claims that have it, for this reason (a clause). */
        record Withdrawn(String reason) implements State {}
    }
}
