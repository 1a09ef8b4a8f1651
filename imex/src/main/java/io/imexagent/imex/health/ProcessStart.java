package io.imexagent.imex.health;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The start of a unit's process, as systemd reports it in two ways: since the boot ({@code CLOCK_MONOTONIC}), and by
 * the clock of that time. They differ by the changes of the clock since then.
 */
record ProcessStart(Optional<Duration> sinceBoot, Optional<Instant> byClock) {

    static final ProcessStart UNKNOWN = new ProcessStart(Optional.empty(), Optional.empty());

    /** The format {@code Thu 2026-11-26 13:50:00 UTC}; systemctl runs with TZ=UTC. */
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern(
                    "EEE uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /** Parses the start in microseconds since the boot, and in words; 0, empty and malformed text is unknown. */
    static ProcessStart of(String monotonic, String clock) {
        return new ProcessStart(
                monotonic.matches("[1-9]\\d{0,17}")
                        ? Optional.of(
                                Duration.ofNanos(1000L * Math.min(Long.parseLong(monotonic), Long.MAX_VALUE / 1000)))
                        : Optional.empty(),
                clock(clock));
    }

    private static Optional<Instant> clock(String words) {
        try {
            return Optional.of(Instant.from(CLOCK.parse(words)));
        } catch (DateTimeException unparsable) {
            return Optional.empty();
        }
    }

    /** The later of both starts, for each of the two clocks. */
    ProcessStart orLater(ProcessStart other) {
        return new ProcessStart(later(sinceBoot, other.sinceBoot), later(byClock, other.byClock));
    }

    /**
     * The start by the current clock, given {@code /proc/uptime}: the later of both times. Therefore no step of the
     * clock, and no sleep of the host, makes a file appear newer than the process that has read it; a step may hide a
     * newer file.
     */
    Optional<Instant> at(Instant now, HostFile uptime) {
        Optional<Instant> computed = sinceBoot.flatMap(start -> uptime.text()
                .map(text -> text.split(" ", 2)[0])
                .filter(seconds -> seconds.matches("\\d{1,10}\\.\\d{2}"))
                .map(seconds -> Duration.ofMillis(Long.parseLong(seconds.replace(".", "")) * 10))
                .map(up -> now.minus(up.minus(start))));
        return later(computed, byClock);
    }

    /** The start in microseconds since the boot, which no step of the clock changes; empty if it is unknown. */
    OptionalLong microseconds() {
        return sinceBoot.map(start -> OptionalLong.of(start.toNanos() / 1000)).orElse(OptionalLong.empty());
    }

    private static <T extends Comparable<T>> Optional<T> later(Optional<T> one, Optional<T> other) {
        return Stream.of(one, other).flatMap(Optional::stream).max(Comparator.naturalOrder());
    }
}
