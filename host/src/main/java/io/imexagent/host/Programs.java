package io.imexagent.host;

@FunctionalInterface
public interface Programs {

    /** Runs the program until it ends or exceeds one of its limits. Blocks. */
    ProgramOutcome run(Program program) throws InterruptedException;
}
