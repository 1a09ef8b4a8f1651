package io.imexagent.agent.cli;

import java.util.EnumSet;
import java.util.Iterator;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The words that an option takes, constants in lower case. picocli's own enums tell a user the names of constants.
 *
 * @param type the constants
 */
record EnumConverter<T extends Enum<T>>(Class<T> type) implements ITypeConverter<T>, Iterable<String> {

    @Override
    public T convert(String text) {
        return EnumSet.allOf(type).stream()
                .filter(value -> word(value).equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(
                        "expected one of " + String.join(", ", this) + " but was '" + text + "'"));
    }

    @Override
    public Iterator<String> iterator() {
        return EnumSet.allOf(type).stream().map(EnumConverter::word).iterator();
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
