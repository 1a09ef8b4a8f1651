package io.imexagent.imex.query;

import io.imexagent.imex.report.Printable;
import java.time.Duration;

/** What became of a command. */
public sealed interface CommandOutcome {

    /**
     * It ended by itself.
     *
     * @param exitCode its exit code
     * @param output what it printed
     * @param errors what it printed as errors
     */
    record Ended(int exitCode, String output, String errors) implements CommandOutcome {

        /** The last line of its errors, or else of its output, for messages. */
        public String complaint() {
            String last = lastLine(errors);
            return last.isEmpty() ? lastLine(output) : last;
        }

        /** Whether it printed this anywhere. */
        public boolean says(String part) {
            return output.contains(part) || errors.contains(part);
        }

        private static String lastLine(String text) {
            return text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .reduce((earlier, later) -> later)
                    .map(Printable::line)
                    .orElse("");
        }
    }

    /**
     * It did not end in time, and was killed with all that it had started.
     *
     * @param after the time it had
     */
    record Hung(Duration after) implements CommandOutcome {}

    /**
     * It printed more than it may, and was killed with all that it had started.
     *
     * @param limit the bytes that it may print on either output
     */
    record Flooded(int limit) implements CommandOutcome {}

    /**
     * It could not be started.
     *
     * @param reason why, as a clause
     */
    record NotStarted(String reason) implements CommandOutcome {}
}
