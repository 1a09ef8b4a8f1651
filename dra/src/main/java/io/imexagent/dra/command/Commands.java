package io.imexagent.dra.command;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Runs programs of the host. */
public interface Commands {

    /** Asks a program: runs it to its end, or until its time is over; then it is killed, with all that it started. */
    Ended run(List<String> command, Duration limit) throws InterruptedException;

    /**
     * Lets a program change the host. When its time is over it is told to end (SIGTERM), given some more, and then left
     * alone: a package manager that is killed in the middle of a transaction leaves half a package behind.
     */
    Ended change(List<String> command, Duration limit) throws InterruptedException;

    /** How a program ended. */
    sealed interface Ended {

        /**
         * By itself.
         *
         * @param code its exit code
         * @param answer what it wrote on its standard output, the last part of it
         * @param complaint what it wrote on its standard error, likewise
         */
        record Exited(int code, String answer, String complaint) implements Ended {

            /** Both, for people. */
            public String output() {
                return answer + complaint;
            }
        }

        /**
         * Its time was over.
         *
         * @param limit how long it had
         * @param stillRunning its process, where it was left running; otherwise it was ended
         */
        record TimedOut(Duration limit, Optional<Long> stillRunning) implements Ended {

            /** It was ended when its time was over. */
            public TimedOut(Duration limit) {
                this(limit, Optional.empty());
            }
        }

        /**
         * It did not begin.
         *
         * @param reason why, in the system's words
         */
        record NotStarted(String reason) implements Ended {}
    }
}
