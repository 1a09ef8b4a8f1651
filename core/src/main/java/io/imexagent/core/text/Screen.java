package io.imexagent.core.text;

import java.util.OptionalInt;

/** What a text is printed on, with ANSI colours or without; a file or a pipe has no columns. */
public record Screen(boolean colours, OptionalInt columns) {

    /** A file or a pipe. */
    public static final Screen NONE = new Screen(false, OptionalInt.empty());
}
