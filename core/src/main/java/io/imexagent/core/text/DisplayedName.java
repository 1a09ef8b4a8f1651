package io.imexagent.core.text;

import java.util.Locale;

/** An enum whose constants have names for people and for labels. */
public interface DisplayedName {

    String name();

    /** The constant in lower-case words joined by hyphens, fit for a label. */
    default String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
