package io.imexagent.dra.claim;

import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Prepares and unprepares claims. A method starts its call at once, in the order of the calls, and never blocks. The
 * supplier that it returns waits for the answers; it blocks, and must be called once. The answers have one entry for
 * the UID of every claim of the request, and come before the caller's deadline. An exception is a defect.
 */
public interface ClaimPreparer {

    /** A claim is prepared, with these devices. */
    record Prepared(List<PreparedDevice.ReturnedDevice> devices) {

        public Prepared {
            devices = List.copyOf(devices);
        }
    }

    /** Nothing is left of a claim. */
    record Unprepared() {}

    /** Prepares claims; returns the answers by UID. The caller still waits for {@code remaining}. */
    Supplier<Map<String, Outcome<Prepared>>> prepare(List<ClaimRequest> claims, Duration remaining);

    /** Unprepares claims, from local state alone and whatever their names are; returns the answers by UID. */
    Supplier<Map<String, Outcome<Unprepared>>> unprepare(List<ClaimRequest> claims);
}
