package io.imexagent.agent.config;

import java.time.Duration;
import java.util.Optional;

/**
 * Durations as text: whole numbers with the units {@code h}, {@code m}, {@code s} and {@code ms}, the larger unit first,
 * each at most once: {@code 30s}, {@code 1m30s}, {@code 500ms}.
 */
final class DurationText {

    private static final String[] UNITS = {"h", "m", "s", "ms"};
    private static final long[] MILLIS = {3_600_000, 60_000, 1_000, 1};
    private static final int MOST_DIGITS = 9;

    private DurationText() {}

    /** The duration in the text, or empty where the text is none. */
    static Optional<Duration> parse(String text) {
        long total = 0;
        int at = 0;
        int unit = 0;
        while (at < text.length()) {
            int digits = spanOf(text, at, true);
            int letters = spanOf(text, at + digits, false);
            String name = text.substring(at + digits, at + digits + letters);
            while (unit < UNITS.length && !UNITS[unit].equals(name)) {
                unit++;
            }
            if (unit == UNITS.length || digits == 0 || digits > MOST_DIGITS) {
                return Optional.empty();
            }
            total += Long.parseLong(text.substring(at, at + digits)) * MILLIS[unit];
            at += digits + letters;
            unit++;
        }
        return text.isEmpty() ? Optional.empty() : Optional.of(Duration.ofMillis(total));
    }

    /** The duration as text, to the millisecond. */
    static String print(Duration duration) {
        var text = new StringBuilder();
        long rest = duration.toMillis();
        for (int unit = 0; unit < UNITS.length; unit++) {
            long count = rest / MILLIS[unit];
            rest %= MILLIS[unit];
            if (count > 0) {
                text.append(count).append(UNITS[unit]);
            }
        }
        return text.isEmpty() ? "0s" : text.toString();
    }

    private static int spanOf(String text, int from, boolean digits) {
        int at = from;
        while (at < text.length() && isDigit(text.charAt(at)) == digits) {
            at++;
        }
        return at - from;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
