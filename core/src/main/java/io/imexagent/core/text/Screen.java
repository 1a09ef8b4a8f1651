package io.imexagent.core.text;

import java.util.OptionalInt;

/**
 * What a text is printed on.
 *
 * @param colours whether it shows colours, by ANSI escapes
 * @param columns the width of a terminal; empty for a file or a pipe, whose lines are as long as they have to be
 */
public record Screen(boolean colours, OptionalInt columns) {

    /** A file or a pipe. */
    public static final Screen NONE = new Screen(false, OptionalInt.empty());
}
