package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessStartTest {

    private static final Instant NOW = Instant.parse("2026-11-26T14:00:00Z");

    /** A host that has been up for so long. */
    private static HostFile up(Duration time) {
        return new HostFile.ReadFile("/proc/uptime", time.toSeconds() + ".00 12345.67\n", Instant.EPOCH);
    }

    @Test
    void aStartIsReckonedFromTheBoot() {
        ProcessStart start = ProcessStart.of("60000000", "");

        assertThat(start.at(NOW, up(Duration.ofHours(2)))).contains(NOW.minus(Duration.ofMinutes(119)));
        assertThat(start.at(NOW, new HostFile.MissingFile("/proc/uptime"))).isEmpty();
    }

    @Test
    void aStartIsReadInWordsWhereNothingElseIsSaid() {
        assertThat(ProcessStart.of("0", "Thu 2026-11-26 13:50:00 UTC").at(NOW, up(Duration.ofHours(2))))
                .contains(Instant.parse("2026-11-26T13:50:00Z"));
        assertThat(ProcessStart.of("", "n/a").at(NOW, up(Duration.ofHours(2)))).isEmpty();
        assertThat(ProcessStart.of("999999999999999999999", "soon").at(NOW, up(Duration.ofHours(2))))
                .isEmpty();
    }

    /** A clock that was wrong at the boot, or a host that slept, must not make an old file look new. */
    @ParameterizedTest
    @CsvSource({
        // The clock was an hour behind when the process started.
        "Thu 2026-11-26 12:01:00 UTC, 2026-11-26T13:01:00Z",
        // It was half an hour ahead.
        "Thu 2026-11-26 13:31:00 UTC, 2026-11-26T13:31:00Z",
        // It was right, and the host has slept since: its uptime counts that, the time of the start does not.
        "Thu 2026-11-26 13:46:00 UTC, 2026-11-26T13:46:00Z",
    })
    void theLaterStartCountsWhereTheClocksDiffer(String words, Instant start) {
        ProcessStart said = ProcessStart.of("60000000", words);

        assertThat(said.at(NOW, up(Duration.ofHours(1)))).contains(start);
    }

    /** It names the run of a daemon: a second of the clock would name two, and a step of the clock none. */
    @Test
    void aStartIsExactSinceTheBootAndUnknownByTheClockAlone() {
        assertThat(ProcessStart.of("60000001", "Thu 2026-11-26 13:50:00 UTC").microseconds())
                .hasValue(60_000_001);
        assertThat(ProcessStart.of("0", "Thu 2026-11-26 13:50:00 UTC").microseconds())
                .isEmpty();
    }

    @Test
    void theStartOfTheUnitCountsWhereItsProcessIsThatOfTheRunBefore() {
        ProcessStart process = ProcessStart.of("60000000", "");
        ProcessStart unit = ProcessStart.of("120000000", "");

        assertThat(process.orLater(unit)).isEqualTo(unit);
        assertThat(process.orLater(ProcessStart.UNKNOWN)).isEqualTo(process);
    }
}
