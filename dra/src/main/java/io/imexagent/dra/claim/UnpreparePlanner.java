package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.time.Instant;
import java.util.List;

/** Plans the unpreparation of one claim from local state alone. Pure. */
public final class UnpreparePlanner {

    private UnpreparePlanner() {}

    /**
     * The effects that leave nothing of the claim. The CDI spec goes first: a crash in between leaves an entry, and the
     * kubelet calls again. A claim whose prepare never ended leaves an aborted entry; an unknown claim nothing.
     */
    public static List<Effect> plan(ClaimUid claim, Ledger ledger, Instant now) {
        return ledger.entry(claim)
                .<List<Effect>>map(entry -> switch (entry) {
                    case ClaimEntry.Completed completed ->
                        List.of(new Effect.RemoveCdi(claim), new Effect.ForgetEntry(claim));
                    case ClaimEntry.Started started ->
                        List.of(
                                new Effect.RemoveCdi(claim),
                                new Effect.RecordEntry(
                                        new ClaimEntry.Aborted(claim, started.name(), started.status(), now)));
                    case ClaimEntry.Aborted aborted -> List.of();
                })
                .orElse(List.of());
    }
}
