package io.imexagent.agent.command;

import java.time.Duration;
import java.util.List;

/** Runs programs of the host. */
public interface Commands {

    /** Runs a program to its end, or until its time is over. */
    Ended run(List<String> command, Duration limit) throws InterruptedException;

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
         * It was ended when its time was over.
         *
         * @param limit how long it had
         */
        record TimedOut(Duration limit) implements Ended {}

        /**
         * It did not begin.
         *
         * @param reason why, in the system's words
         */
        record NotStarted(String reason) implements Ended {}
    }
}
