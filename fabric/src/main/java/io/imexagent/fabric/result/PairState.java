package io.imexagent.fabric.result;

/** The state of imports of one rank from another, for one pair of GPUs or for all pairs. */
public sealed interface PairState {

    /** The import and all steps of the test's level succeeded. */
    record ProvenPair() implements PairState {}

    /**
     * A step failed: a call into libcuda, with its symbol, its code and the code's name; or {@code data} with code 0,
     * if the bytes that were read differ from those that were written. Codes are explanations, and no decision depends
     * on them.
     */
    record FailedPair(String step, int code, String words) implements PairState {}

    /** The import did not return before its deadline, and its process was killed. */
    record TimedOutPair() implements PairState {}

    /** The import was not tried; the reason is a clause. */
    record UntriedPair(String reason) implements PairState {}

    /** Whether the import was tried and did not succeed. */
    default boolean isBad() {
        return switch (this) {
            case FailedPair _, TimedOutPair _ -> true;
            case ProvenPair _, UntriedPair _ -> false;
        };
    }

    /** Returns the state as a word for documents and for the label of a metric. */
    default String text() {
        return switch (this) {
            case ProvenPair _ -> "proven";
            case FailedPair _ -> "failed";
            case TimedOutPair _ -> "timeout";
            case UntriedPair _ -> "not tried";
        };
    }

    /** Returns the state as one character for a matrix. */
    default char letter() {
        return switch (this) {
            case ProvenPair _ -> '+';
            case FailedPair _ -> 'F';
            case TimedOutPair _ -> 'T';
            case UntriedPair _ -> '.';
        };
    }

    /** Returns why the import is not proven, as a clause; empty if it is proven. */
    default String reason() {
        return switch (this) {
            case ProvenPair _ -> "";
            case FailedPair(String step, int code, String words) ->
                step + " fails: " + (code > 0 ? code + " " : "") + words;
            case TimedOutPair _ -> "the import hung and its process was killed";
            case UntriedPair(String reason) -> reason;
        };
    }

    /** Returns the worse of two states; from the worst: failed, timed out, not tried, proven. */
    default PairState worse(PairState other) {
        return rank(other) > rank(this) ? other : this;
    }

    private static int rank(PairState state) {
        return switch (state) {
            case ProvenPair _ -> 0;
            case UntriedPair _ -> 1;
            case TimedOutPair _ -> 2;
            case FailedPair _ -> 3;
        };
    }
}
