package io.imexagent.dra.claim;

import java.util.Locale;

/** What the kubelet asks for. */
public enum Operation {
    /** NodePrepareResources. */
    PREPARE,
    /** NodeUnprepareResources. */
    UNPREPARE;

    /** The operation as a metric label. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
