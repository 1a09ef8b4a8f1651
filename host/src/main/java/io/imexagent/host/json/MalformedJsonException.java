package io.imexagent.host.json;

import io.imexagent.core.claim.Quoted;
import org.jspecify.annotations.Nullable;

/** JSON that could not be understood: the message names where, {@code status.allocation.devices.config[0].source: …}. */
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

    /** What is wrong with the value at this path, which may be empty, as a clause. */
    public static MalformedJsonException at(String path, String clause) {
        return new MalformedJsonException(path.isEmpty() ? clause : named(path) + ": " + clause);
    }

    static MalformedJsonException nested(String path, int levels) {
        return new MalformedJsonException(named(path) + " is nested more than " + levels + " levels deep", true);
    }

    private static String named(String path) {
        return path.startsWith(".") ? path.substring(1) : path;
    }

    /** The step of a path to the field of this name; none where there is no name. */
    public static String step(@Nullable String name) {
        if (name == null) {
            return "";
        }
        return "." + (name.matches("[A-Za-z0-9_./-]{1,80}") ? name : Quoted.of(name));
    }

    /** Whether it is nested deeper than anybody needs: whoever wrote it must change it. */
    public boolean tooDeep() {
        return tooDeep;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
