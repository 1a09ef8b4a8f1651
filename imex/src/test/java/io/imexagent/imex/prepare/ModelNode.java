package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.Effect;
import io.imexagent.imex.specimen.NodeSpecimens;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A node's durable state, a checkpoint and a CDI directory, with the effects run on it one by one. */
final class ModelNode {

    final Map<ClaimUid, ClaimEdits> specs = new TreeMap<>();
    Ledger ledger;
    Instant now = NodeSpecimens.NOON;
    private int boot = 1;

    ModelNode(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Runs the effects up to the cut, and tells whether all of them ran. */
    boolean run(List<Effect> effects, int cut) {
        effects.stream().limit(cut).forEach(this::run);
        return cut >= effects.size();
    }

    void run(Effect effect) {
        switch (effect) {
            case Effect.RecordEntry record -> ledger = ledger.with(record.entry());
            case Effect.ForgetEntry forget -> ledger = ledger.without(forget.claim());
            case Effect.WriteCdi write -> specs.put(write.claim(), write.edits());
            case Effect.RemoveCdi remove -> specs.remove(remove.claim());
        }
    }

    /** Recovers as a starting agent does, up to the cut; the boot is recorded once all else is done. */
    boolean start(int cut) {
        boolean whole = run(Recoveries.plan(ledger, specs.keySet(), inventory()), cut);
        if (whole) {
            ledger = ledger.at(Optional.of(bootId()));
        }
        return whole;
    }

    /** The machine restarts: what stands on tmpfs is gone. */
    void reboot() {
        boot++;
        specs.clear();
    }

    NodeInventory inventory() {
        return NodeSpecimens.in(bootId());
    }

    static ModelNode fresh() {
        return new ModelNode(Ledger.empty(Optional.empty()));
    }

    private BootId bootId() {
        return new BootId("boot-" + boot);
    }
}
