package io.imexagent.core.refusal;

import java.util.Optional;

/** The requested value, or the refusal. */
public sealed interface Outcome<T> {

    record Accepted<T>(T value) implements Outcome<T> {}

    record Refused<T>(Refusal reason) implements Outcome<T> {}

    static <T> Outcome<T> accepted(T value) {
        return new Accepted<>(value);
    }

    static <T> Outcome<T> refused(Refusal reason) {
        return new Refused<>(reason);
    }

    static <T> Outcome<T> refused(RefusalCode code, String message) {
        return new Refused<>(new Refusal(code, message));
    }

    /** A step from one value to the next, which may fail. */
    @FunctionalInterface
    interface OutcomeStep<T, R, X extends Exception> {
        R from(T value) throws X;
    }

    /** The result of the step for the value; a refusal is passed on. */
    default <R, X extends Exception> Outcome<R> then(OutcomeStep<? super T, Outcome<R>, X> next) throws X {
        return switch (this) {
            case Accepted<T>(T value) -> next.from(value);
            case Refused<T>(Refusal reason) -> new Refused<>(reason);
        };
    }

    /** An outcome with the value that the step returns; a refusal is passed on. */
    default <R, X extends Exception> Outcome<R> map(OutcomeStep<? super T, R, X> change) throws X {
        return then(value -> new Accepted<>(change.from(value)));
    }

    /** This outcome, or a refusal if the step objects to its value. */
    default <X extends Exception> Outcome<T> refuseIf(OutcomeStep<? super T, Optional<Refusal>, X> objection) throws X {
        return then(value -> objection.from(value).map(Outcome::<T>refused).orElse(this));
    }

    default Optional<T> toOptional() {
        return this instanceof Accepted<T>(T value) ? Optional.of(value) : Optional.empty();
    }

    default Optional<Refusal> refusal() {
        return this instanceof Refused<T>(Refusal reason) ? Optional.of(reason) : Optional.empty();
    }
}
