package io.imexagent.agent.prepare;

import io.imexagent.agent.probe.InventorySource;
import io.imexagent.cdi.CdiKind;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.prepare.ChannelEdits;
import io.imexagent.core.prepare.ClaimFacts;
import io.imexagent.core.prepare.Effect;
import io.imexagent.core.prepare.PrepareOutcome;
import io.imexagent.core.prepare.PreparePlanner;
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

    /** What the specs of all claims depend on: the device major. Empty while nobody can tell. */
    public static Optional<?> basis(InventorySource inventory) {
        return inventory.current().channelMajor() instanceof ChannelMajor.Registered registered
                ? Optional.of(registered)
                : Optional.empty();
    }

    @Override
    public void onChange(Runnable listener) {
        inventory.onChange(changed -> listener.run());
    }
}
