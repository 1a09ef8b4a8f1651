package io.imexagent.imex.bind;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The channels above 0 that prepared claims use, by their ComputeDomains. */
final class UsedChannels {

    private UsedChannels() {}

    /**
     * Those of the ledger.
     *
     * @param known what the ComputeDomain is called: the ledger does not know, the node's object does, or the next claim
     */
    static Map<ComputeDomainUid, Hold> of(Ledger ledger, Function<ComputeDomainUid, Optional<DomainName>> known) {
        Map<ComputeDomainUid, Hold> used = new HashMap<>();
        for (ClaimEntry.Completed claim : ledger.completed()) {
            for (PreparedGroup group : claim.groups()) {
                for (PreparedDevice device : group.devices()) {
                    if (device instanceof PreparedDevice.Channel channel
                            && channel.id().number() > 0) {
                        var uid = new ComputeDomainUid(group.computeDomain());
                        DomainName name = known.apply(uid).orElseGet(() -> unknown(uid, claim));
                        used.put(uid, new Hold(name, Optional.of(channel.id())));
                    }
                }
            }
        }
        return used;
    }

    private static DomainName unknown(ComputeDomainUid uid, ClaimEntry.Completed claim) {
        return new DomainName(uid, claim.name().map(name -> name.namespace()).orElse("unknown"), uid.value());
    }
}
