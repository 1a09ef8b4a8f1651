package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.recovery.Sweeper;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SweepPlanTest {

    private static final ClaimEntry.Started STARTED = ClaimSpecimens.started(ClaimSpecimens.ref("started"));
    private static final ClaimEntry.Completed COMPLETED = ClaimSpecimens.completed(ClaimSpecimens.ref("completed"), 0);
    private static final ClaimUid ABORTED = ClaimSpecimens.ref("aborted").uid();

    @Test
    void suspectsAreTheClaimsWhosePrepareDidNotEnd() {
        assertThat(ledger(NodeSpecimens.NOON).all(ClaimEntry.Started.class)).containsExactly(STARTED);
    }

    @Test
    void aSuspectThatIsGoneLosesItsSpecAndThenItsEntry() {
        assertThat(Sweeper.plan(ledger(NodeSpecimens.NOON), Set.of(STARTED.uid()), NodeSpecimens.NOON))
                .containsExactly(new Effect.RemoveCdi(STARTED.uid()), new Effect.ForgetEntry(STARTED.uid()));
    }

    @Test
    void aSuspectThatIsStillThereStays() {
        assertThat(Sweeper.plan(ledger(NodeSpecimens.NOON), Set.of(), NodeSpecimens.NOON))
                .isEmpty();
    }

    @Test
    void aPreparedClaimIsLeftToTheKubeletAlsoWhenItIsGone() {
        assertThat(Sweeper.plan(ledger(NodeSpecimens.NOON), Set.of(COMPLETED.uid()), NodeSpecimens.NOON))
                .isEmpty();
    }

    @Test
    void aClaimThatWasCompletedSinceTheQuestionStays() {
        Ledger since = Ledger.empty(Optional.empty())
                .with(new ClaimEntry.Completed(STARTED.uid(), STARTED.name(), STARTED.status(), COMPLETED.groups()));

        assertThat(Sweeper.plan(since, Set.of(STARTED.uid()), NodeSpecimens.NOON))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {90, 91, -90, -86_400})
    void anAbortedEntryGoesOnceItHasDoneItsWorkOrTheClockHasJumped(long age) {
        assertThat(Sweeper.plan(ledger(NodeSpecimens.NOON.minusSeconds(age)), Set.of(), NodeSpecimens.NOON))
                .containsExactly(new Effect.ForgetEntry(ABORTED));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 89, -89})
    void anAbortedEntryStaysUntilThenEvenIfItsClaimIsGone(long age) {
        assertThat(Sweeper.plan(ledger(NodeSpecimens.NOON.minusSeconds(age)), Set.of(ABORTED), NodeSpecimens.NOON))
                .isEmpty();
    }

    private static Ledger ledger(Instant abortedAt) {
        return Ledger.empty(Optional.of(NodeSpecimens.BOOT))
                .with(STARTED)
                .with(COMPLETED)
                .with(new ClaimEntry.Aborted(
                        ABORTED, Optional.empty(), ClaimSpecimens.status(ClaimSpecimens.DOMAIN), abortedAt));
    }
}
