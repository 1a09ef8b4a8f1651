package io.imexagent.core.text;

import java.util.OptionalInt;

/** The output for a text: whether it shows ANSI colours, and its width in columns, empty for a file or a pipe. */
public record Screen(boolean colours, OptionalInt columns) {

    /** A file or a pipe. */
    public static final Screen NONE = new Screen(false, OptionalInt.empty());
}
