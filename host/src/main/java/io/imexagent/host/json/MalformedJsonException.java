package io.imexagent.host.json;

/** JSON that could not be understood: the message names where, {@code status.allocation.devices.config[0].source: …}. */
public final class MalformedJsonException extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean tooDeep;

    public MalformedJsonException(String reason) {
        this(reason, false);
    }

    public MalformedJsonException(String reason, boolean tooDeep) {
        super(reason);
        this.tooDeep = tooDeep;
    }

    /** Whether it is nested deeper than anybody needs: whoever wrote it must change it. */
    public boolean tooDeep() {
        return tooDeep;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
