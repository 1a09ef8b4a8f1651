package io.imexagent.host;

@FunctionalInterface
public interface Programs {

    /** Runs the program to its end, or until it breaks one of its limits. Blocks. */
    ProgramOutcome run(Program program) throws InterruptedException;
}
