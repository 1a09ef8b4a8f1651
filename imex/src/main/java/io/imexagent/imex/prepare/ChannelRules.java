package io.imexagent.imex.prepare;

import io.imexagent.cdi.CdiKind;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.ClaimFacts;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.ClaimWords;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.PrepareOutcome;
import io.imexagent.imex.probe.InventorySource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The rules of IMEX channels.
 *
 * @param planner plans
 * @param inventory the node
 */
public record ChannelRules(PreparePlanner planner, InventorySource inventory) implements ClaimRules {

    /** The kind of the CDI devices of channels. */
    public static final CdiKind KIND = CdiKind.parse(ChannelEdits.CDI_KIND).orElseThrow();

    /** How people are told what claims for channels hold. */
    public static final ClaimWords WORDS = new ClaimWords("a channel", "channels", "ComputeDomain workloads");

    @Override
    public PrepareOutcome plan(ClaimFacts facts, Ledger ledger, Instant now) {
        return planner.plan(facts, ledger, inventory.current(), now);
    }

    @Override
    public List<Effect> grant(ClaimEntry.Completed entry) {
        return PreparePlanner.grant(entry, inventory.current());
    }

    /** The device major. */
    @Override
    public Optional<?> basis() {
        return inventory.current().channelMajor() instanceof ChannelMajor.Registered registered
                ? Optional.of(registered)
                : Optional.empty();
    }

    @Override
    public void onChange(Runnable listener) {
        inventory.onChange(changed -> listener.run());
    }
}
