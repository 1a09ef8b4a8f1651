package io.imexagent.dra.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.dra.claim.DraSpecimens;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AbsencesTest {

    private static final ClaimEntry.Completed CLAIM = DraSpecimens.completed(DraSpecimens.ref("a"), 0);
    private static final ClaimEntry.Completed OTHER = DraSpecimens.completed(DraSpecimens.ref("b"), 1);

    /** The monotonic clock may be below zero, and pass its end. */
    private static final long START = Long.MAX_VALUE - Duration.ofMinutes(10).toNanos();

    @Test
    void threeSightingsOverHalfAnHourProveThatAClaimIsGone() {
        assertThat(seen(0, 15, 30).proof(CLAIM)).hasValueSatisfying(proof -> {
            assertThat(proof.sightings()).isEqualTo(3);
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
        Absences after = absent(seen(0, 15).without(CLAIM), 30);

        assertThat(after.proof(CLAIM)).isEmpty();
        assertThat(absent(absent(after, 45), 60).proof(CLAIM)).isPresent();
    }

    @Test
    void aClaimThatWasPreparedAgainOtherwiseBeginsAnew() {
        var again = new ClaimEntry.Completed(CLAIM.uid(), CLAIM.name(), DraSpecimens.decoded("{}"), CLAIM.groups());

        assertThat(seen(0, 15, 30).proof(again)).isEmpty();
    }

    @Test
    void onlyClaimsThatAreStillPreparedAreRemembered() {
        Absences both = seen(0).absent(OTHER, START);

        assertThat(both.only(List.of(OTHER)).claims()).containsOnlyKeys(OTHER);
        assertThat(both.only(List.of())).isEqualTo(Absences.none());
    }

    private static Absences seen(long... minutes) {
        Absences absences = Absences.none();
        for (long minute : minutes) {
            absences = absent(absences, minute);
        }
        return absences;
    }

    private static Absences absent(Absences absences, long minute) {
        return absences.absent(CLAIM, START + Duration.ofMinutes(minute).toNanos());
    }
}
