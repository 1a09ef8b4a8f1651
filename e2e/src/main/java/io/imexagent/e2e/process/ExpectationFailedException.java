package io.imexagent.e2e.process;

/** Something that had to happen did not. The message says what was expected, and what was there instead. */
public final class ExpectationFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With what was expected, and what was there. */
    public ExpectationFailedException(String message) {
        super(message);
    }
}
