package io.imexagent.imex.query;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A state as {@code nvidia-imex-ctl} printed it: its own name, or a word without a meaning here, cut to what fits a
 * line, which counts as neither ready nor connected.
 */
public record Printed<S extends Enum<S>>(String word, Optional<S> state) {

    public Printed {
        word = Printable.word(word);
    }

    /** A state that has a name here. */
    public static <S extends Enum<S>> Printed<S> of(S state) {
        return new Printed<>(state.name(), Optional.of(state));
    }

    /** The state of this name, or else the word. */
    public static <S extends Enum<S>> Printed<S> of(String word, S[] states) {
        return of(word, states, state -> state.name().equals(word));
    }

    static <S extends Enum<S>> Printed<S> of(String word, S[] states, Predicate<S> fits) {
        return Arrays.stream(states)
                .filter(fits)
                .findFirst()
                .map(Printed::of)
                .orElseGet(() -> new Printed<S>(word, Optional.empty()));
    }

    /** Whether it is this state. */
    public boolean is(S candidate) {
        return state.filter(candidate::equals).isPresent();
    }
}
