package io.imexagent.imex.health;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A state as {@code nvidia-imex-ctl} printed it: the name of a defined state, or another word, shortened to fit a line.
 * Such a word counts as neither ready nor connected.
 */
public record PrintedState<S extends Enum<S>>(String word, Optional<S> state) {

    private static final int LONGEST_WORD = 40;
    private static final int LONGEST_LINE = 200;
    private static final int LONGEST_TEXT = 4096;

    public PrintedState {
        word = word(word);
    }

    public static <S extends Enum<S>> PrintedState<S> of(S state) {
        return new PrintedState<>(state.name(), Optional.of(state));
    }

    /** The state of this name, or only the word if no state has that name. */
    public static <S extends Enum<S>> PrintedState<S> of(String word, S[] states) {
        return of(word, states, state -> state.name().equals(word));
    }

    static <S extends Enum<S>> PrintedState<S> of(String word, S[] states, Predicate<S> fits) {
        return Arrays.stream(states)
                .filter(fits)
                .findFirst()
                .map(PrintedState::of)
                .orElseGet(() -> new PrintedState<S>(word, Optional.empty()));
    }

    public boolean is(S candidate) {
        return state.filter(candidate::equals).isPresent();
    }

    /** Foreign text without control characters, at most 40 characters. */
    static String word(String text) {
        return cut(text, LONGEST_WORD);
    }

    /** Foreign text as one line of a log, a table or a metric, at most 200 characters. */
    static String line(String text) {
        return cut(text.strip(), LONGEST_LINE);
    }

    /** Foreign text for a value that is used, such as a path, at most 4,096 characters. */
    static String text(String text) {
        return cut(text.strip(), LONGEST_TEXT);
    }

    static Optional<String> lastLine(String text) {
        return text.lines().map(String::strip).filter(line -> !line.isEmpty()).reduce((earlier, later) -> later);
    }

    private static String cut(String text, int longest) {
        var line = new StringBuilder();
        text.codePoints()
                .limit(longest)
                .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE ? ' ' : c)
                .forEach(line::appendCodePoint);
        return line.toString();
    }
}
