package io.imexagent.core.refusal;

import java.util.Optional;
import java.util.function.Function;

/** What was asked for, or the reason for which it is refused. */
public sealed interface Outcome<T> {

    /**
     * What was asked for.
     *
     * @param value the value
     */
    record Accepted<T>(T value) implements Outcome<T> {}

    /**
     * It is refused.
     *
     * @param reason why
     */
    record Refused<T>(Refusal reason) implements Outcome<T> {}

    /** An outcome with this value. */
    static <T> Outcome<T> accepted(T value) {
        return new Accepted<>(value);
    }

    /** An outcome without a value. */
    static <T> Outcome<T> refused(Refusal reason) {
        return new Refused<>(reason);
    }

    /** An outcome without a value, for this reason. */
    static <T> Outcome<T> refused(RefusalCode code, String message) {
        return new Refused<>(new Refusal(code, message));
    }

    /** What the function makes of the value; a refusal stays what it is. */
    default <R> Outcome<R> then(Function<? super T, Outcome<R>> next) {
        return switch (this) {
            case Accepted<T> accepted -> next.apply(accepted.value());
            case Refused<T> refused -> new Refused<>(refused.reason());
        };
    }

    /** An outcome with what the function makes of the value. */
    default <R> Outcome<R> map(Function<? super T, R> change) {
        return then(value -> new Accepted<>(change.apply(value)));
    }

    /** The value; empty where it is refused. */
    default Optional<T> toOptional() {
        return this instanceof Accepted<T>(T value) ? Optional.of(value) : Optional.empty();
    }

    /** Why it is refused; empty where it is not. */
    default Optional<Refusal> refusal() {
        return this instanceof Refused<T>(Refusal reason) ? Optional.of(reason) : Optional.empty();
    }
}
