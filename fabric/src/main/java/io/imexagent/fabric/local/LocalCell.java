package io.imexagent.fabric.local;

import java.util.Locale;
import java.util.OptionalInt;

/**
 * One import of a local test: memory that was exported on one channel is imported by a process with the same channel,
 * another one, or none. The cell has the state of the import and its description.
 */
public record LocalCell(int exporter, OptionalInt importer, LocalState state, String words) {

    /** The result of an import, from the best to the worst. */
    public enum LocalState {
        /** The result was as required: success on the same channel, a refusal otherwise. */
        PROVEN,
        NOT_TRIED,
        /** The import missed its deadline. */
        TIMEOUT,
        FAILED,
        /** The import succeeded although it must be refused: channels do not isolate workloads on this node. */
        ISOLATION_BROKEN;

        /** Returns the state as documents have it, such as {@code isolation-broken}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Returns this import as not tried, for this reason. */
    LocalCell notTried(String why) {
        return new LocalCell(exporter, importer, LocalState.NOT_TRIED, why);
    }

    /** Whether importer and exporter have the same channel, so that the import must succeed. */
    boolean same() {
        return importer.isPresent() && importer.getAsInt() == exporter;
    }

    /** Returns the importer's channel as text: {@code on channel 257}, {@code without a channel}. */
    String where() {
        return importer.isPresent() ? "on channel " + importer.getAsInt() : "without a channel";
    }
}
