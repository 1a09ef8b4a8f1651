package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.imex.bind.OwnChannels;
import io.imexagent.kubernetes.ComputeDomains;
import java.util.Optional;

/**
 * What a claim asks for; its ComputeDomain, empty where its namespace has none of that UID; and what came of the look
 * for a channel of the ComputeDomain's own, empty where none was looked for.
 */
public record ChannelClaim(
        Demand demand, Optional<ComputeDomains.DomainRef> domain, Optional<Outcome<OwnChannels.Bound>> binding) {

    Optional<ChannelId> channel() {
        return demand.owned()
                ? binding.flatMap(Outcome::toOptional).map(OwnChannels.Bound::channel)
                : Optional.of(new ChannelId(0));
    }
}
