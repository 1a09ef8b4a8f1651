package io.imexagent.kubernetes.client;

import java.io.IOException;
import java.util.function.Function;

/**
 * Reads the objects of a kind.
 *
 * @param wanted which of their fields are wanted
 * @param making makes of them what is kept
 * @param <T> what is kept of an object
 */
record Decoder<T>(WantedFields wanted, Making<T> making) {

    /** Reads nothing but that there is an object. */
    static final Decoder<Boolean> ANY = new Decoder<>(WantedFields.of(), fields -> true);

    /**
     * Makes something of an object's fields.
     *
     * @param <T> what it makes
     */
    @FunctionalInterface
    interface Making<T> {

        /**
         * Makes it.
         *
         * @throws IOException where the object is none of this kind
         */
        T of(Fields fields) throws IOException;
    }

    /** Reads an object. */
    T decode(String text) throws IOException {
        return decode(text, "");
    }

    /** Reads the object in this field of another one. */
    T decode(String text, String inside) throws IOException {
        try {
            return making.of(wanted.read(text, inside));
        } catch (IllegalArgumentException e) {
            // A type of the domain refused what cannot be; its words could quote it.
            throw new UnreadableException("a field has a value that it cannot have");
        }
    }

    /** Keeps something else of an object. */
    <U> Decoder<U> map(Function<T, U> function) {
        return new Decoder<>(wanted, fields -> function.apply(making.of(fields)));
    }
}
