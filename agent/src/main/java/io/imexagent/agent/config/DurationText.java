package io.imexagent.agent.config;

import java.time.Duration;
import java.util.Optional;

/**
 * Durations as text: whole numbers with the units {@code h}, {@code m}, {@code s} and {@code ms}, the larger unit first,
 * each at most once: {@code 30s}, {@code 1m30s}, {@code 500ms}.
 */
public final class DurationText {

    private static final String[] UNITS = {"h", "m", "s", "ms"};
    private static final long[] MILLIS = {3_600_000, 60_000, 1_000, 1};
    private static final int MOST_DIGITS = 9;

    private DurationText() {}

    /** Parses a duration; empty if the text is not a duration. */
    public static Optional<Duration> parse(String text) {
        long total = 0;
        int at = 0;
        for (int unit = 0; unit < UNITS.length; unit++) {
            int name = at;
            while (isDigit(text, name)) {
                name++;
            }
            int end = name + UNITS[unit].length();
            boolean given = name > at && text.startsWith(UNITS[unit], name);
            if (given && name - at <= MOST_DIGITS && (end == text.length() || isDigit(text, end))) {
                total += Long.parseLong(text.substring(at, name)) * MILLIS[unit];
                at = end;
            }
        }
        return at == 0 || at < text.length() ? Optional.empty() : Optional.of(Duration.ofMillis(total));
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

    private static boolean isDigit(String text, int at) {
        return at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9';
    }
}
