package io.imexagent.host;

import java.time.Duration;
import java.util.Optional;

/** What became of a {@link Program}. */
public sealed interface ProgramOutcome {

    /** It ended by itself, with this exit code, and wrote this on its standard output and its standard error. */
    record Ended(int code, String out, String err) implements ProgramOutcome {}

    /** Its time was over; where its process cannot be killed or was left alone, that still runs. */
    record TimedOut(Duration deadline, Optional<Long> stillRunning) implements ProgramOutcome {}

    /** It wrote more than the bytes that it may on either output, and was killed. */
    record Flooded(int limit) implements ProgramOutcome {}

    /** It was not started, since so many of its processes hang and cannot be killed. */
    record Capped(int hanging) implements ProgramOutcome {}

    /** It could not be started, for a reason that is a clause. */
    record NotStarted(String reason) implements ProgramOutcome {}
}
