package io.imexagent.kubernetes.json;

import java.io.IOException;

/** An answer, or a part of one, that is not what it must be. The message names the field and quotes no value. */
public final class UnreadableException extends IOException {

    private static final long serialVersionUID = 1L;

    public UnreadableException(String message) {
        super(message);
    }
}
