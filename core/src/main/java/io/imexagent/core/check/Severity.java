package io.imexagent.core.check;

import java.util.Locale;
import java.util.stream.Stream;

/**
 * How bad something is: the one scale of commands, documents, metrics, pages and alerts, the best first. The words are
 * those by which Alertmanager routes usually go.
 */
public enum Severity {
    /** As it should be. */
    OK,
    /** Worth knowing; nothing is wrong. */
    INFO,
    /** Less than it could be, not known, or about to fail; workloads go on. */
    WARNING,
    /** Workloads fail or wait, or the node cannot serve as it is configured. */
    CRITICAL;

    /** The word in documents, tables and labels. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The worst of these, {@link #OK} where there is none. */
    public static Severity worst(Stream<Severity> all) {
        return all.reduce(OK, (one, other) -> one.compareTo(other) < 0 ? other : one);
    }
}
