package io.imexagent.checkpoint;

/** JSON that could not be understood: the message names where, {@code status.allocation.devices.config[0].source: …}. */
public final class MalformedJsonException extends Exception {

    private static final long serialVersionUID = 1L;

    public MalformedJsonException(String reason) {
        super(reason);
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
