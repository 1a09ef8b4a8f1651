package io.imexagent.imex.health;

import java.util.Optional;

/**
 * What became of a question to nvidia-imex.
 *
 * @param <T> what was asked for
 */
public sealed interface QueryResult<T> {

    /** It was answered. */
    record Told<T>(T value) implements QueryResult<T> {}

    /**
     * It was asked and not answered.
     *
     * @param failure how it failed
     * @param detail what happened, as a clause
     */
    record Failed<T>(Failure failure, String detail) implements QueryResult<T> {}

    /** It was not asked, for this reason, a clause. */
    record NotAsked<T>(String why) implements QueryResult<T> {}

    /** The answer, where there is one. */
    default Optional<T> told() {
        return this instanceof Told<T>(T value) ? Optional.of(value) : Optional.empty();
    }

    /** The same failure, or the same silence, of a question for something else. */
    static <T> QueryResult<T> unanswered(Failed<?> failed) {
        return new Failed<>(failed.failure(), failed.detail());
    }

    /** How a question can fail. */
    enum Failure {
        /** The daemon is down: {@code Query Status returned error code: 14}. */
        UNREACHABLE,
        /** The file of the nodes cannot be read, which the question for the domain needs. */
        NO_NODES_FILE,
        /** It ended with another error. */
        ERROR,
        /** It did not end in time, and was killed. */
        HUNG,
        /** It printed more than any answer has, and was killed. */
        FLOODED,
        /** What it printed was not understood. */
        UNREADABLE,
        /** It could not be started. */
        NOT_STARTED
    }
}
