package io.imexagent.dra.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.recovery.ClaimConfirmer.Absences;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AbsencesTest {

    private static final ClaimEntry.Completed CLAIM = DraSpecimens.completed(DraSpecimens.ref("a"), 0);
    private static final ClaimEntry.Completed OTHER = DraSpecimens.completed(DraSpecimens.ref("b"), 1);

    /** The monotonic clock may be below zero, and pass its end. */
    private static final long START = Long.MAX_VALUE - Duration.ofMinutes(10).toNanos();

    @Test
    void threeSightingsOverHalfAnHourProveThatAClaimIsGone() {
        assertThat(seen(0, 15, 30).proof(CLAIM)).hasValueSatisfying(proof -> {
            assertThat(proof.count()).isEqualTo(3);
            assertThat(proof.time()).isEqualTo(Duration.ofMinutes(30));
        });
    }

    @Test
    void neitherTwoSightingsNorAShorterTimeDo() {
        assertThat(seen(0, 600).proof(CLAIM)).isEmpty();
        assertThat(seen(0, 1, 2, 3, 29).proof(CLAIM)).isEmpty();
        assertThat(seen(0, 1, 30).proof(OTHER)).as("of another claim").isEmpty();
    }

    @Test
    void aSightingOfTheClaimBeginsAnew() {
        Absences absences = seen(0, 15);
        absences.keep(claim -> !claim.equals(CLAIM));

        absent(absences, 30);
        assertThat(absences.proof(CLAIM)).isEmpty();
        absent(absences, 45);
        absent(absences, 60);
        assertThat(absences.proof(CLAIM)).isPresent();
    }

    @Test
    void aClaimThatWasPreparedAgainOtherwiseBeginsAnew() {
        var again = new ClaimEntry.Completed(CLAIM.uid(), CLAIM.name(), DraSpecimens.decoded("{}"), CLAIM.groups());

        assertThat(seen(0, 15, 30).proof(again)).isEmpty();
    }

    @Test
    void onlyClaimsThatAreStillPreparedAreRemembered() {
        Absences both = seen(0, 15, 30);
        both.absent(OTHER, START);

        both.keep(OTHER::equals);
        assertThat(both.proof(CLAIM)).isEmpty();
        assertThat(both.isEmpty()).isFalse();
        both.keep(CLAIM::equals);
        assertThat(both.isEmpty()).isTrue();
    }

    private static Absences seen(long... minutes) {
        var absences = new Absences();
        for (long minute : minutes) {
            absent(absences, minute);
        }
        return absences;
    }

    private static void absent(Absences absences, long minute) {
        absences.absent(CLAIM, START + Duration.ofMinutes(minute).toNanos());
    }
}
