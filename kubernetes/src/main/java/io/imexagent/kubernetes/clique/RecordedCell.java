package io.imexagent.kubernetes.clique;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The result of a recorded run of the fabric test for one pair: the row's node imports what the column's node exports.
 * If that did not succeed, {@code connected} is whether nvidia-imex of both nodes reported the two as connected at that
 * time.
 */
public sealed interface RecordedCell {

    /** The import succeeded, with all steps of the run's level. */
    record ProvenImport() implements RecordedCell {}

    /** A call of libcuda returned this error, 1 to 9999; empty if something else failed. */
    record FailedImport(OptionalInt code, boolean connected) implements RecordedCell {

        /** Rejects a code that is not an error of libcuda. */
        public FailedImport {
            if (code.isPresent() && (code.getAsInt() < 1 || code.getAsInt() > MOST_CODE)) {
                throw new IllegalArgumentException(
                        "an error of libcuda is 1 to " + MOST_CODE + ", not " + code.getAsInt());
            }
        }
    }

    /** The import did not return in time. */
    record HungImport(boolean connected) implements RecordedCell {}

    /** The run did not try the pair. */
    record UntriedImport() implements RecordedCell {}

    /** The cell is that of a node with itself. */
    record OwnImport() implements RecordedCell {}

    /** The largest code that is recorded. */
    int MOST_CODE = 9999;

    /** The suffix of a failure that contradicts the status of nvidia-imex. */
    String CONTRADICTED = "!";

    /** The cell's text in the object: {@code +}, {@code F}, a code, {@code T}, {@code .} or {@code -}. */
    default String text() {
        return switch (this) {
            case ProvenImport _ -> "+";
            case FailedImport(OptionalInt code, boolean connected) ->
                (code.isPresent() ? Integer.toString(code.getAsInt()) : "F") + mark(connected);
            case HungImport(boolean connected) -> "T" + mark(connected);
            case UntriedImport _ -> ".";
            case OwnImport _ -> "-";
        };
    }

    private static String mark(boolean connected) {
        return connected ? CONTRADICTED : "";
    }

    /** Parses the text of a cell; empty for any other text. */
    static Optional<RecordedCell> parse(String text) {
        boolean connected = text.endsWith(CONTRADICTED);
        String plain = connected ? text.substring(0, text.length() - 1) : text;
        return switch (plain) {
            case "F" -> Optional.of(new FailedImport(OptionalInt.empty(), connected));
            case "T" -> Optional.of(new HungImport(connected));
            case "+" -> connected ? Optional.empty() : Optional.of(new ProvenImport());
            case "." -> connected ? Optional.empty() : Optional.of(new UntriedImport());
            case "-" -> connected ? Optional.empty() : Optional.of(new OwnImport());
            default ->
                plain.matches("[1-9][0-9]{0,3}")
                        ? Optional.of(new FailedImport(OptionalInt.of(Integer.parseInt(plain)), connected))
                        : Optional.empty();
        };
    }

    /** Whether the import failed or hung while nvidia-imex of both nodes reported the two as connected. */
    default boolean contradictsStatus() {
        return switch (this) {
            case FailedImport(OptionalInt _, boolean connected) -> connected;
            case HungImport(boolean connected) -> connected;
            case ProvenImport _, UntriedImport _, OwnImport _ -> false;
        };
    }
}
