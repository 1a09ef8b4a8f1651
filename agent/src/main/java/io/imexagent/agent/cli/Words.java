package io.imexagent.agent.cli;

import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The words that an option takes. picocli's own enums tell a user the names of constants.
 *
 * @param words the words' values, each of which prints as its word
 */
record Words<T>(List<T> words) implements ITypeConverter<T>, Iterable<String> {

    /** Copies the list in. */
    Words {
        words = List.copyOf(words);
    }

    @Override
    public T convert(String text) {
        return words.stream()
                .filter(word -> word.toString().equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("expected one of "
                        + words.stream().map(Object::toString).collect(Collectors.joining(", ")) + " but was '" + text
                        + "'"));
    }

    @Override
    public Iterator<String> iterator() {
        return words.stream().map(Object::toString).iterator();
    }
}
