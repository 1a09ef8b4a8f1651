package io.imexagent.fabric.local;

import java.util.Locale;
import java.util.OptionalInt;

/**
 * One import of a local test: memory that was exported on a channel, imported by a process that has another, the same, or
 * none; the state, and in words what was seen.
 */
public record LocalCell(int exporter, OptionalInt importer, LocalState state, String words) {

    /** What came of an import, the best first. */
    public enum LocalState {
        /** It went as it must: imported on the same channel, refused otherwise. */
        PROVEN,
        NOT_TRIED,
        /** It did not end in time. */
        TIMEOUT,
        FAILED,
        /** It went where it must be refused: channels do not separate workloads here. */
        ISOLATION_BROKEN;

        /** The state in documents: {@code isolation-broken}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** The same import, of which nothing is known, for this reason. */
    LocalCell notTried(String why) {
        return new LocalCell(exporter, importer, LocalState.NOT_TRIED, why);
    }

    /** Whether the import must succeed. */
    boolean same() {
        return importer.isPresent() && importer.getAsInt() == exporter;
    }

    /** The importer in words: {@code on channel 257}, {@code without a channel}. */
    String where() {
        return importer.isPresent() ? "on channel " + importer.getAsInt() : "without a channel";
    }
}
