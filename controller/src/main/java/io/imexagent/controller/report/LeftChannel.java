package io.imexagent.controller.report;

import io.imexagent.core.claim.ChannelId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A channel that is not free although no ComputeDomain that is there has it: its last one is gone, and claims keep it, or
 * it rests.
 *
 * @param channel the channel
 * @param owner namespace and name of the ComputeDomain that had it last; its UID where the ledger does not tell more
 * @param restsUntil until when it rests; empty while the ledger has it as held
 * @param claims how many claims of that ComputeDomain live
 * @param wrong what is wrong, in sentences; nothing where it only rests
 */
public record LeftChannel(
        ChannelId channel, String owner, Optional<Instant> restsUntil, int claims, List<String> wrong) {

    /** Copies the list in. */
    public LeftChannel {
        wrong = List.copyOf(wrong);
    }
}
