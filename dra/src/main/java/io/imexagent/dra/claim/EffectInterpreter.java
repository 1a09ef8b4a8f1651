package io.imexagent.dra.claim;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.ClaimSpec;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Runs effects, each durably, and decides nothing. An effect that changes nothing costs no write. */
final class EffectInterpreter {

    private final LedgerKeeper keeper;
    private final CdiDirectory specs;
    private final EffectListener listener;

    EffectInterpreter(LedgerKeeper keeper, CdiDirectory specs, EffectListener listener) {
        this.keeper = keeper;
        this.specs = specs;
        this.listener = listener;
    }

    /**
     * Runs the effect.
     *
     * @throws IOException where it failed; the message names path, reason and remedy
     */
    void run(Effect effect) throws IOException {
        switch (effect) {
            case Effect.RecordEntry it -> record(it.entry());
            case Effect.ForgetEntry it -> forget(it.claim());
            case Effect.WriteCdi it -> specs.ensure(it.claim(), ClaimSpec.of(specs.kind(), it.edits()));
            case Effect.RemoveCdi it -> specs.remove(it.claim());
        }
        listener.after(effect);
    }

    /** Tells the listener of the effects, where none of them has anything left to change; otherwise does nothing. */
    boolean settled(List<Effect> effects) throws IOException {
        for (Effect effect : effects) {
            if (!settled(effect)) {
                return false;
            }
        }
        effects.forEach(listener::after);
        return true;
    }

    private boolean settled(Effect effect) throws IOException {
        return switch (effect) {
            case Effect.WriteCdi it -> specs.holds(it.claim(), ClaimSpec.of(specs.kind(), it.edits()));
            case Effect.RecordEntry it -> false;
            case Effect.ForgetEntry it -> false;
            case Effect.RemoveCdi it -> false;
        };
    }

    private void record(ClaimEntry entry) throws IOException {
        Ledger ledger = keeper.current();
        if (keeper.unsaved() || !ledger.entry(entry.uid()).equals(Optional.of(entry))) {
            keeper.replace(ledger.with(entry));
        }
    }

    private void forget(ClaimUid claim) throws IOException {
        Ledger ledger = keeper.current();
        if (keeper.unsaved() || ledger.entry(claim).isPresent()) {
            keeper.replace(ledger.without(claim));
        }
    }
}
