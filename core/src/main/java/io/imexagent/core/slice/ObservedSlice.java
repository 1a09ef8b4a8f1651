package io.imexagent.core.slice;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A ResourceSlice of this driver and node, and whether the node, by its present UID, owns the object. */
public record ObservedSlice(String name, String resourceVersion, boolean ownedByNode, PoolSlice content) {

    private static final Pattern INDEXED = Pattern.compile("([0-9a-f]{5})-.*");

    /** The slice's position in its pool, from 0, by its name; empty if the name has another form. */
    public OptionalInt index() {
        Matcher indexed = INDEXED.matcher(name);
        return indexed.matches() ? OptionalInt.of(Integer.parseInt(indexed.group(1), 16)) : OptionalInt.empty();
    }
}
