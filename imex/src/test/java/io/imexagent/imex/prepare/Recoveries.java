package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.policy.Isolation;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.recovery.Recovery;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.specimen.NodeSpecimens;
import java.util.List;
import java.util.Set;

/** Recoveries of claims for channels. */
final class Recoveries {

    private Recoveries() {}

    /** The effects that a start on this node owes to the claims. */
    static List<Effect> plan(Ledger ledger, Set<ClaimUid> specs, NodeInventory inventory) {
        var rules = new ChannelRules(
                new FakeDomains(),
                new FakeInventory(inventory),
                NodeSpecimens.policy(DraSpecimens.NODE, Isolation.NONE, false),
                new FakeChannels(),
                FakePods.UNREAD,
                System::nanoTime);
        return Recovery.plan(ledger, specs, inventory.bootId(), rules::spec);
    }
}
