package io.imexagent.cdi;

import java.util.List;

/** A text that is no CDI spec, or one that breaks the rules: the message names each field and what it must be. */
public final class InvalidCdiSpecException extends Exception {

    private static final long serialVersionUID = 1L;

    InvalidCdiSpecException(List<String> faults) {
        super(String.join("; ", faults));
    }

    InvalidCdiSpecException(String path, String clause) {
        super(path.isEmpty() ? clause : path + ": " + clause);
    }
}
