package io.imexagent.dra.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrepareSettingsTest {

    private static final PrepareSettings SETTINGS = PrepareSettings.answeringWithin(Duration.ofSeconds(40));

    @ParameterizedTest
    @CsvSource({"45000, 40000", "40500, 39500", "10000, 9000", "5000, 4500", "100, 90", "0, 0"})
    void aCallIsAnsweredATenthOfItsTimeBeforeItsEndASecondAtMost(long remaining, long within) {
        assertThat(SETTINGS.within(Duration.ofMillis(remaining))).hasMillis(within);
    }

    @Test
    void pausesDoubleUpToTwoSeconds() {
        assertThat(Stream.iterate(SETTINGS.firstPause(), SETTINGS::pauseAfter)
                        .limit(7)
                        .map(Duration::toMillis))
                .containsExactly(100L, 200L, 400L, 800L, 1_600L, 2_000L, 2_000L);
    }

    @Test
    void aFirstPauseThatIsLongerStays() {
        Duration hour = Duration.ofHours(1);

        assertThat(SETTINGS.pauseAfter(hour)).isEqualTo(hour);
    }
}
