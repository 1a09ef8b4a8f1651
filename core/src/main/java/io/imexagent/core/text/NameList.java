package io.imexagent.core.text;

import java.util.List;

/** Names in a sentence. */
public final class NameList {

    private NameList() {}

    /** The names, of more than {@code most} the first so many: {@code a, b and 3 more}. */
    public static String some(List<String> names, int most) {
        return names.size() <= most
                ? String.join(", ", names)
                : String.join(", ", names.subList(0, most)) + " and " + (names.size() - most) + " more";
    }
}
