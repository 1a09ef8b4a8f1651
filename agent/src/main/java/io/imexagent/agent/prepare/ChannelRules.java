package io.imexagent.agent.prepare;

import io.imexagent.agent.probe.InventorySource;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.prepare.ClaimFacts;
import io.imexagent.core.prepare.Effect;
import io.imexagent.core.prepare.PrepareOutcome;
import io.imexagent.core.prepare.PreparePlanner;
import java.time.Instant;
import java.util.List;

/**
 * The rules of IMEX channels.
 *
 * @param planner plans
 * @param inventory the node
 */
public record ChannelRules(PreparePlanner planner, InventorySource inventory) implements ClaimRules {

    @Override
    public PrepareOutcome plan(ClaimFacts facts, Ledger ledger, Instant now) {
        return planner.plan(facts, ledger, inventory.current(), now);
    }

    @Override
    public List<Effect> grant(ClaimEntry.Completed entry) {
        return PreparePlanner.grant(entry, inventory.current());
    }

    @Override
    public void onChange(Runnable listener) {
        inventory.onChange(changed -> listener.run());
    }
}
