package io.imexagent.host;

import java.time.Duration;
import java.util.Optional;

/** What became of a {@link Program}. */
public sealed interface ProgramOutcome {

    /**
     * It ended by itself.
     *
     * @param code its exit code
     * @param out what it wrote on its standard output
     * @param err what it wrote on its standard error
     */
    record Ended(int code, String out, String err) implements ProgramOutcome {}

    /**
     * Its time was over.
     *
     * @param deadline how long it had
     * @param stillRunning its process, where it cannot be killed or was left alone; otherwise it was ended
     */
    record TimedOut(Duration deadline, Optional<Long> stillRunning) implements ProgramOutcome {

        /** It was ended when its time was over. */
        public TimedOut(Duration deadline) {
            this(deadline, Optional.empty());
        }
    }

    /**
     * It wrote more than it may, and was killed.
     *
     * @param limit the bytes that it may write on either output
     */
    record Flooded(int limit) implements ProgramOutcome {}

    /**
     * It was not started, since as many as may be of its processes hang and cannot be killed.
     *
     * @param hanging how many
     */
    record Capped(int hanging) implements ProgramOutcome {}

    /**
     * It could not be started.
     *
     * @param reason why, as a clause
     */
    record NotStarted(String reason) implements ProgramOutcome {}
}
