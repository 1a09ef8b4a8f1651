package io.imexagent.agent.config;

import java.nio.file.Path;
import java.util.OptionalInt;

/** Where an effective value came from. */
public sealed interface Origin {

    /** The origin in a few words, as messages and {@code config show} give it. */
    default String text() {
        return switch (this) {
            case Standard standard -> "default";
            case Found found -> "found on this host";
            case InFile place -> place.file() + ":" + place.line();
            case Environment environment -> "environment " + environment.variable();
            case Flag flag -> "flag " + flag.name();
            case Forced forced -> "forced by " + forced.by();
            case PublicDriver named -> named.place().text() + " (" + named.said() + ")";
        };
    }

    /** The line of the configuration file, from 1; empty for other places. */
    default OptionalInt lineInFile() {
        return switch (this) {
            case InFile place -> OptionalInt.of(place.line());
            case PublicDriver named -> named.place().lineInFile();
            case Standard _, Found _, Environment _, Flag _, Forced _ -> OptionalInt.empty();
        };
    }

    /** The default: no source sets the value. */
    record Standard() implements Origin {}

    /** Something that is there at one of several usual places: no source sets the value. */
    record Found() implements Origin {}

    /** A line of the configuration file, from 1. */
    record InFile(Path file, int line) implements Origin {}

    record Environment(String variable) implements Origin {}

    /** A flag of the command line, with its hyphens. */
    record Flag(String name) implements Origin {}

    /** A place where the value stands in the public driver's words: {@code imex.mode: hostManaged}. */
    record PublicDriver(Origin place, String said) implements Origin {}

    /** Another value, of this name, left no choice. */
    record Forced(String by) implements Origin {}
}
