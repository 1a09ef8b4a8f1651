package io.imexagent.agent.config;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A fault of the configuration and what would be correct, as a clause. The place is empty if a value is missing; the
 * key is empty if the fault is about a whole file.
 */
public record ConfigFault(Optional<Origin> where, Optional<String> key, String message) {

    static ConfigFault at(Origin where, String key, String message) {
        return new ConfigFault(Optional.of(where), Optional.of(key), message);
    }

    /** A fault of a key's value. */
    static ConfigFault at(Origin where, ConfigKey key, String message) {
        return where instanceof Origin.FromPublicDriver(Origin place, String wording)
                ? at(place, wording, message)
                : at(where, key.path(), message);
    }

    static ConfigFault of(String key, String message) {
        return new ConfigFault(Optional.empty(), Optional.of(key), message);
    }

    static ConfigFault in(Origin where, String message) {
        return new ConfigFault(Optional.of(where), Optional.empty(), message);
    }

    /** The line in the file; faults elsewhere sort after all lines. */
    int line() {
        return where.map(Origin::lineInFile).orElseGet(OptionalInt::empty).orElse(Integer.MAX_VALUE);
    }

    /** Whether a flag of the command line is wrong, rather than a file, a variable, or the combination of values. */
    public boolean isInFlag() {
        return where.filter(Origin::isFlag).isPresent();
    }

    /** The fault as one line: place, key and message. */
    public String text() {
        return Stream.of(where.map(Origin::text), key, Optional.of(message))
                .flatMap(Optional::stream)
                .collect(Collectors.joining(": "));
    }
}
