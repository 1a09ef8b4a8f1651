package io.imexagent.imex.report;

/**
 * What became of a text that somebody else wrote.
 *
 * @param <T> what it was to hold
 */
public sealed interface Parsed<T> {

    /**
     * It was understood.
     *
     * @param value what it says
     */
    record Read<T>(T value) implements Parsed<T> {}

    /**
     * It was not.
     *
     * @param reason what is wrong with it, as a clause
     */
    record Unreadable<T>(String reason) implements Parsed<T> {}
}
