package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.Effect;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UnpreparePlanTest {

    private static final ClaimUid UID = Situation.REF.uid();

    @Test
    void theSpecOfACompletedClaimGoesBeforeItsEntry() {
        assertThat(plan(ClaimSpecimens.completed(Situation.REF, 0)))
                .containsExactly(new Effect.RemoveCdi(UID), new Effect.ForgetEntry(UID));
    }

    @Test
    void aClaimWhosePrepareNeverEndedLeavesAnAbortedEntryOfItsVersion() {
        ClaimEntry.Started started = ClaimSpecimens.started(Situation.REF);

        assertThat(plan(started))
                .containsExactly(
                        new Effect.RemoveCdi(UID),
                        new Effect.RecordEntry(
                                new ClaimEntry.Aborted(UID, started.name(), started.status(), NodeSpecimens.NOON)));
    }

    @Test
    void anAbortedClaimIsUnpreparedAlreadyAndKeepsItsTime() {
        assertThat(plan(new ClaimEntry.Aborted(
                        UID, Optional.empty(), ClaimSpecimens.status(ClaimSpecimens.DOMAIN), NodeSpecimens.NOON)))
                .isEmpty();
    }

    @Test
    void anUnknownClaimIsASuccessWithoutAnEffect() {
        assertThat(Planning.unprepare(new ClaimUid("unknown"), Ledger.empty(Optional.empty()), NodeSpecimens.NOON))
                .isEmpty();
    }

    @Test
    void theClaimsOfOthersStay() {
        Ledger ledger = Ledger.empty(Optional.empty()).with(ClaimSpecimens.completed(ClaimSpecimens.ref("other"), 0));

        assertThat(Planning.unprepare(UID, ledger, NodeSpecimens.NOON)).isEmpty();
    }

    private static List<Effect> plan(ClaimEntry entry) {
        return Planning.unprepare(
                UID, Ledger.empty(Optional.of(NodeSpecimens.BOOT)).with(entry), NodeSpecimens.NOON);
    }
}
