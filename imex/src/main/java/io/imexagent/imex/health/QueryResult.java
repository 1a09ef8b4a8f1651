package io.imexagent.imex.health;

import java.util.Optional;
import java.util.function.Function;

/** The result of a query to nvidia-imex for a {@code T}. */
public sealed interface QueryResult<T> {

    record QueryAnswered<T>(T value) implements QueryResult<T> {}

    /** The query was not answered; the detail is the reason, a clause. */
    record QueryFailed<T>(Failure failure, String detail) implements QueryResult<T> {}

    /** The result of a query that was not made, for this reason, a clause. */
    static <T> QueryResult<T> notQueried(String why) {
        return new QueryFailed<>(Failure.NOT_ASKED, why);
    }

    /** The result with its answer converted by {@code meaning}. */
    default <R> QueryResult<R> map(Function<T, R> meaning) {
        return switch (this) {
            case QueryAnswered<T>(T value) -> new QueryAnswered<>(meaning.apply(value));
            case QueryFailed<T>(Failure failure, String detail) -> new QueryFailed<>(failure, detail);
        };
    }

    default Optional<T> answer() {
        return this instanceof QueryAnswered<T>(T value) ? Optional.of(value) : Optional.empty();
    }

    enum Failure {
        /** The query was not made: no daemon runs that could answer. */
        NOT_ASKED,
        /** The daemon is down: {@code Query Status returned error code: 14}. */
        UNREACHABLE,
        /** The tool found no readable {@code config.cfg}. */
        NO_CONFIGURATION,
        /** The file of the nodes, which the query for the domain needs, cannot be read. */
        NO_NODES_FILE,
        ERROR,
        HUNG,
        FLOODED,
        UNREADABLE,
        NOT_STARTED
    }
}
