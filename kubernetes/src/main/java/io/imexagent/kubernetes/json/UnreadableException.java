package io.imexagent.kubernetes.json;

import java.io.IOException;

/** A response, or a part of it, does not have the required form. The message names the field and quotes no value. */
public final class UnreadableException extends IOException {

    private static final long serialVersionUID = 1L;

    public UnreadableException(String message) {
        super(message);
    }
}
