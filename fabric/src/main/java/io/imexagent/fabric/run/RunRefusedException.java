package io.imexagent.fabric.run;

/** A run was not started; the message has the reason and the remedy. */
public final class RunRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    RunRefusedException(String message) {
        super(message);
    }
}
