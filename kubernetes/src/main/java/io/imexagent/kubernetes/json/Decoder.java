package io.imexagent.kubernetes.json;

import java.io.IOException;
import java.util.function.ToIntFunction;

/**
 * Reads the objects of a kind. The object built from the wanted fields takes at most {@code cost} bytes of memory,
 * which may be much less than the fields.
 */
public record Decoder<T>(FieldSelection wanted, ObjectBuilder<T> making, ToIntFunction<T> cost) {

    public static final Decoder<Boolean> ANY = new Decoder<>(FieldSelection.of(), fields -> true);

    public Decoder(FieldSelection wanted, ObjectBuilder<T> making) {
        this(wanted, making, any -> Integer.MAX_VALUE);
    }

    @FunctionalInterface
    public interface ObjectBuilder<T> {
        T of(FieldValues fields) throws IOException;
    }

    public T decode(JsonScanner body) throws IOException {
        return make(wanted.read(body));
    }

    public T make(FieldValues fields) throws IOException {
        fields.requireSound();
        try {
            return making.of(fields);
        } catch (IllegalArgumentException e) {
            // A type rejected an invalid value, which its message could quote.
            throw new UnreadableException("a field has a value that it cannot have");
        }
    }
}
