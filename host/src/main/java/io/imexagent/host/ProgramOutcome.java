package io.imexagent.host;

import java.time.Duration;
import java.util.Optional;

/** How a {@link Program} ended. */
public sealed interface ProgramOutcome {

    /** The program ended by itself, with this exit code, standard output and standard error. */
    record Ended(int code, String out, String err) implements ProgramOutcome {}

    /**
     * The program exceeded its deadline. {@code stillRunning} is its process ID if it could not be killed, or must not
     * be.
     */
    record TimedOut(Duration deadline, Optional<Long> stillRunning) implements ProgramOutcome {}

    /** The program wrote more than its limit on one output, and was killed. */
    record Flooded(int limit) implements ProgramOutcome {}

    /** The program was not started, since this many of its processes hang and cannot be killed. */
    record Capped(int hanging) implements ProgramOutcome {}

    /** The program could not be started; the reason is a clause. */
    record NotStarted(String reason) implements ProgramOutcome {}
}
