package io.imexagent.imex.query;

/** Runs questions, one at a time. */
@FunctionalInterface
public interface CommandRunner {

    /** Runs the question to its end, within limits of its own. Blocks. */
    CommandOutcome run(ImexCommand command) throws InterruptedException;
}
