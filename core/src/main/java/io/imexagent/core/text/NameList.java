package io.imexagent.core.text;

import java.util.List;

/** Formats lists of names for a sentence. */
public final class NameList {

    private NameList() {}

    /**
     * Joins the names; of more than {@code most} names the first ones and the number of the rest: {@code a, b and 3
     * more}.
     */
    public static String some(List<String> names, int most) {
        return names.size() <= most
                ? String.join(", ", names)
                : String.join(", ", names.subList(0, most)) + " and " + (names.size() - most) + " more";
    }
}
