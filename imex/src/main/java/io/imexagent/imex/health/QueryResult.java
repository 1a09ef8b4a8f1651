package io.imexagent.imex.health;

import java.util.Optional;
import java.util.function.Function;

/** What became of a question to nvidia-imex for a {@code T}. */
public sealed interface QueryResult<T> {

    record QueryAnswered<T>(T value) implements QueryResult<T> {}

    /** It was not answered; the detail is what happened, a clause. */
    record QueryFailed<T>(Failure failure, String detail) implements QueryResult<T> {}

    /** The query was not made, for this reason, a clause. */
    static <T> QueryResult<T> notQueried(String why) {
        return new QueryFailed<>(Failure.NOT_ASKED, why);
    }

    /** The same question, whose answer means this. */
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
        /** The query was not made: there is no daemon that could answer. */
        NOT_ASKED,
        /** The daemon is down: {@code Query Status returned error code: 14}. */
        UNREACHABLE,
        /** The tool has no {@code config.cfg} that it can read. */
        NO_CONFIGURATION,
        /** The file of the nodes cannot be read, which the question for the domain needs. */
        NO_NODES_FILE,
        ERROR,
        HUNG,
        FLOODED,
        UNREADABLE,
        NOT_STARTED
    }
}
