package io.imexagent.dra.recovery;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.ClaimPlanner;
import io.imexagent.dra.claim.Effect;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Plans the removal of entries that nobody will come back for. Pure. */
public final class SweepPlanner {

    private SweepPlanner() {}

    /** The claims whose prepare began and did not end: whether they still exist is to be asked. */
    public static List<ClaimEntry.Started> suspects(Ledger ledger) {
        return ledger.entries().values().stream()
                .<ClaimEntry.Started>mapMulti((entry, into) -> {
                    if (entry instanceof ClaimEntry.Started started) {
                        into.accept(started);
                    }
                })
                .toList();
    }

    /**
     * The effects of a sweep: what began for a claim that is gone, and aborted entries that have done their work.
     *
     * @param gone claims that no longer exist, or have another UID
     */
    public static List<Effect> plan(Ledger ledger, Set<ClaimUid> gone, Instant now) {
        var effects = new ArrayList<Effect>();
        for (ClaimEntry entry : ledger.entries().values()) {
            switch (entry) {
                case ClaimEntry.Started started -> {
                    if (gone.contains(started.uid())) {
                        effects.add(new Effect.RemoveCdi(started.uid()));
                        effects.add(new Effect.ForgetEntry(started.uid()));
                    }
                }
                case ClaimEntry.Aborted aborted -> {
                    if (ClaimPlanner.expired(aborted, now)) {
                        effects.add(new Effect.ForgetEntry(aborted.uid()));
                    }
                }
                case ClaimEntry.Completed completed -> {}
            }
        }
        return List.copyOf(effects);
    }
}
