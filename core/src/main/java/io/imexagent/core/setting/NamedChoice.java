package io.imexagent.core.setting;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An enum whose constants have names of their own in the configuration or in objects of the API. */
public interface NamedChoice {

    String name();

    /** The constant's name there: {@code NotReady} for {@code NOT_READY}. */
    default String text() {
        return Stream.of(name().split("_", -1))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }
}
