package io.imexagent.fabric.result;

/** What is known of imports of one rank from another, for one pair of GPUs or for all of them. */
public sealed interface PairState {

    /** The import succeeded, with all that the level of the test adds to it. */
    record ProvenPair() implements PairState {}

    /**
     * A step came back with something other than success: a call of libcuda by its symbol, its code and the name for that,
     * or {@code data} without a code where other bytes were read than were written. Codes explain and decide nothing.
     */
    record FailedPair(String step, int code, String words) implements PairState {}

    /** The import did not return before its deadline, and its process was killed. */
    record TimedOutPair() implements PairState {}

    /** The import was not tried, for a reason that is a clause. */
    record UntriedPair(String reason) implements PairState {}

    /** Whether the import was tried and did not succeed. */
    default boolean isBad() {
        return switch (this) {
            case FailedPair _, TimedOutPair _ -> true;
            case ProvenPair _, UntriedPair _ -> false;
        };
    }

    /** The state as a word: in documents, and as the label of a metric. */
    default String text() {
        return switch (this) {
            case ProvenPair _ -> "proven";
            case FailedPair _ -> "failed";
            case TimedOutPair _ -> "timeout";
            case UntriedPair _ -> "not tried";
        };
    }

    /** The state as the one character of a matrix. */
    default char letter() {
        return switch (this) {
            case ProvenPair _ -> '+';
            case FailedPair _ -> 'F';
            case TimedOutPair _ -> 'T';
            case UntriedPair _ -> '.';
        };
    }

    /** Why it is not proven, as a clause; empty where it is. */
    default String reason() {
        return switch (this) {
            case ProvenPair _ -> "";
            case FailedPair(String step, int code, String words) ->
                step + " fails: " + (code > 0 ? code + " " : "") + words;
            case TimedOutPair _ -> "the import hung and its process was killed";
            case UntriedPair(String reason) -> reason;
        };
    }

    /** The worse of two: a failure before a timeout before what was not tried before what is proven. */
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
