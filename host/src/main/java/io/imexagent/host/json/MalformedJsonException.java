package io.imexagent.host.json;

import io.imexagent.core.claim.Quoted;
import org.jspecify.annotations.Nullable;

/**
 * JSON that is malformed or unexpected; the message begins with the path, {@code
 * status.allocation.devices.config[0].source: …}.
 */
public final class MalformedJsonException extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean tooDeep;

    public MalformedJsonException(String reason) {
        this(reason, false);
    }

    private MalformedJsonException(String reason, boolean tooDeep) {
        super(reason);
        this.tooDeep = tooDeep;
    }

    /** An exception for the value at this path, which may be empty; the clause says what is wrong. */
    public static MalformedJsonException at(String path, String clause) {
        return new MalformedJsonException(path.isEmpty() ? clause : named(path) + ": " + clause);
    }

    static MalformedJsonException nested(String path, int levels) {
        return new MalformedJsonException(named(path) + " is nested more than " + levels + " levels deep", true);
    }

    private static String named(String path) {
        return path.startsWith(".") ? path.substring(1) : path;
    }

    /** The path step to the field of this name; empty without a name. */
    public static String step(@Nullable String name) {
        if (name == null) {
            return "";
        }
        return "." + (name.matches("[A-Za-z0-9_./-]{1,80}") ? name : Quoted.of(name));
    }

    /** Whether the text is nested too deeply, which only its author can change. */
    public boolean tooDeep() {
        return tooDeep;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
