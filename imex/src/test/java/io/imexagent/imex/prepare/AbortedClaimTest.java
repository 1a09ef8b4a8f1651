package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPlanner;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AbortedClaimTest {

    private static final Instant NOON = NodeSpecimens.NOON;

    @Test
    void keepsABelatedPrepareOutForTwiceTheKubeletsDeadline() {
        assertThat(ClaimPlanner.ABORTED_FOR).isEqualTo(Duration.ofSeconds(90));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT1S", "PT89.999999999S"})
    void aPrepareOfTheSameVersionIsRefusedUntilThen(String after) {
        Situation situation = aborted(NOON, NOON.plus(Duration.parse(after)));

        Refusal refusal = situation.refusal();
        assertThat(refusal.code()).isEqualTo(RefusalCode.PREPARE_ABORTED);
        assertThat(refusal.message()).contains("team/train", "90 s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT90S", "PT90.000000001S", "PT1H", "P36500D"})
    void fromThenOnItIsAccepted(String after) {
        Situation situation = aborted(NOON, NOON.plus(Duration.parse(after)));

        assertThat(situation.ready().entry().uid()).isEqualTo(situation.uid());
    }

    @Test
    void anotherVersionOfTheClaimIsAcceptedAtOnce() {
        var situation = new Situation();
        situation.ledger = situation.ledger.with(new ClaimEntry.Aborted(
                situation.uid(), Optional.of(Situation.REF.name()), ClaimSpecimens.status("another-domain"), NOON));

        assertThat(situation.ready().entry().uid()).isEqualTo(situation.uid());
    }

    @Test
    void aClockThatJumpsBackALittleKeepsTheEntryAtWork() {
        assertThat(aborted(NOON, NOON.minusSeconds(89)).refusal().code()).isEqualTo(RefusalCode.PREPARE_ABORTED);
    }

    @ParameterizedTest
    @ValueSource(longs = {90, 3600, 86_400L * 365 * 50})
    void aClockThatJumpsBackFarDoesNotLockTheClaimOut(long seconds) {
        assertThat(aborted(NOON, NOON.minusSeconds(seconds)).plan()).isInstanceOf(Outcome.Accepted.class);
    }

    @Test
    void timesAtTheEndsOfTimeAreNoError() {
        assertThat(aborted(Instant.MAX, Instant.MIN).plan()).isInstanceOf(Outcome.Accepted.class);
        assertThat(aborted(Instant.MIN, Instant.MAX).plan()).isInstanceOf(Outcome.Accepted.class);
    }

    @Test
    void anAbortedEntryOfAnotherClaimIsNobodysConcern() {
        var situation = new Situation();
        situation.ledger = situation.ledger.with(
                new ClaimEntry.Aborted(ClaimSpecimens.ref("other").uid(), Optional.empty(), situation.status(), NOON));

        assertThat(situation.plan()).isInstanceOf(Outcome.Accepted.class);
    }

    private static Situation aborted(Instant at, Instant now) {
        var situation = new Situation();
        situation.abortedAt = Optional.of(at);
        situation.now = now;
        return situation;
    }
}
