package io.imexagent.imex.health;

import java.util.Optional;

/** What became of a question to nvidia-imex for a {@code T}. */
public sealed interface QueryResult<T> {

    record Told<T>(T value) implements QueryResult<T> {}

    /** It was not answered; the detail is what happened, a clause. */
    record Failed<T>(Failure failure, String detail) implements QueryResult<T> {}

    /** It was not asked, for this reason, a clause. */
    static <T> QueryResult<T> notAsked(String why) {
        return new Failed<>(Failure.NOT_ASKED, why);
    }

    default Optional<T> told() {
        return this instanceof Told<T>(T value) ? Optional.of(value) : Optional.empty();
    }

    enum Failure {
        /** It was not asked: there is no daemon that could answer. */
        NOT_ASKED,
        /** The daemon is down: {@code Query Status returned error code: 14}. */
        UNREACHABLE,
        /** The file of the nodes cannot be read, which the question for the domain needs. */
        NO_NODES_FILE,
        ERROR,
        HUNG,
        FLOODED,
        UNREADABLE,
        NOT_STARTED
    }
}
