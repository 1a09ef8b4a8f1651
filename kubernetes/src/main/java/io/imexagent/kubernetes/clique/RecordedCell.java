package io.imexagent.kubernetes.clique;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a recorded run of the fabric test found of one pair: the row's node imports what the column's node exports. Where
 * that did not work, {@code connected} says whether nvidia-imex of both nodes called the two connected at that time.
 */
public sealed interface RecordedCell {

    /** The import succeeded, with all that the level of the run adds to it. */
    record ProvenImport() implements RecordedCell {}

    /** A call of libcuda returned this error, 1 to 9999; empty where something else failed. */
    record FailedImport(OptionalInt code, boolean connected) implements RecordedCell {

        /** Refuses a code that is no error of libcuda. */
        public FailedImport {
            if (code.isPresent() && (code.getAsInt() < 1 || code.getAsInt() > MOST_CODE)) {
                throw new IllegalArgumentException(
                        "an error of libcuda is 1 to " + MOST_CODE + ", not " + code.getAsInt());
            }
        }
    }

    /** The import did not return in time. */
    record HungImport(boolean connected) implements RecordedCell {}

    /** The run did not try it. */
    record UntriedImport() implements RecordedCell {}

    /** The node and itself. */
    record OwnImport() implements RecordedCell {}

    /** The largest code that is recorded. */
    int MOST_CODE = 9999;

    /** What stands behind a failure that contradicts nvidia-imex. */
    String CONTRADICTED = "!";

    /** The cell as it stands in the object: {@code +}, {@code F}, a code, {@code T}, {@code .} or {@code -}. */
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

    /** The cell of such a text; empty for any other. */
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

    /** Whether the import failed or hung while nvidia-imex of both nodes called the two connected. */
    default boolean contradictsStatus() {
        return switch (this) {
            case FailedImport(OptionalInt _, boolean connected) -> connected;
            case HungImport(boolean connected) -> connected;
            case ProvenImport _, UntriedImport _, OwnImport _ -> false;
        };
    }
}
