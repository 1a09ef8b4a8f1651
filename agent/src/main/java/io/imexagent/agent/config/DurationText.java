package io.imexagent.agent.config;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as text: whole numbers with the units {@code h}, {@code m}, {@code s} and {@code ms}, the larger unit first,
 * each at most once: {@code 30s}, {@code 1m30s}, {@code 500ms}.
 */
public final class DurationText {

    private static final String[] UNITS = {"h", "m", "s", "ms"};
    private static final long[] MILLIS = {3_600_000, 60_000, 1_000, 1};
    private static final Pattern TEXT =
            Pattern.compile("(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s)?(?:([0-9]{1,9})ms)?");

    private DurationText() {}

    /** Parses a duration; empty if the text is not a duration. */
    public static Optional<Duration> parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (text.isEmpty() || !parts.matches()) {
            return Optional.empty();
        }
        long total = 0;
        for (int unit = 0; unit < UNITS.length; unit++) {
            String count = parts.group(unit + 1);
            total += count == null ? 0 : Long.parseLong(count) * MILLIS[unit];
        }
        return Optional.of(Duration.ofMillis(total));
    }

    static String print(Duration duration) {
        var text = new StringBuilder();
        long rest = duration.toMillis();
        for (int unit = 0; unit < UNITS.length; unit++) {
            long count = rest / MILLIS[unit];
            rest %= MILLIS[unit];
            text.append(count > 0 ? count + UNITS[unit] : "");
        }
        return text.isEmpty() ? "0s" : text.toString();
    }
}
