package io.imexagent.agent.config;

import java.nio.file.Path;
import java.util.OptionalInt;

/** The origin of an effective value. */
public sealed interface Origin {

    /** The origin in a few words, for messages and {@code config show}. */
    default String text() {
        return switch (this) {
            case Default unset -> "default";
            case FoundOnHost found -> "found on this host";
            case FromFile place -> place.file() + ":" + place.line();
            case FromEnvironment environment -> "environment " + environment.variable();
            case FromFlag flag -> "flag " + flag.name();
            case ForcedByKey forced -> "forced by " + forced.by();
            case FromPublicDriver named -> named.place().text() + " (" + named.wording() + ")";
        };
    }

    /** Whether the command line set the value. */
    default boolean isFlag() {
        return switch (this) {
            case FromFlag _ -> true;
            case FromPublicDriver named -> named.place().isFlag();
            case Default _, FoundOnHost _, FromFile _, FromEnvironment _, ForcedByKey _ -> false;
        };
    }

    /** The line of the configuration file, from 1; empty for other places. */
    default OptionalInt lineInFile() {
        return switch (this) {
            case FromFile place -> OptionalInt.of(place.line());
            case FromPublicDriver named -> named.place().lineInFile();
            case Default _, FoundOnHost _, FromEnvironment _, FromFlag _, ForcedByKey _ -> OptionalInt.empty();
        };
    }

    /** The default: no source sets the value. */
    record Default() implements Origin {}

    /** An existing path at one of several usual places: no source sets the value. */
    record FoundOnHost() implements Origin {}

    /** A line of the configuration file, from 1. */
    record FromFile(Path file, int line) implements Origin {}

    record FromEnvironment(String variable) implements Origin {}

    /** A flag of the command line, with its hyphens. */
    record FromFlag(String name) implements Origin {}

    /** A source that sets the value in the public driver's words: {@code imex.mode: hostManaged}. */
    record FromPublicDriver(Origin place, String wording) implements Origin {}

    /** The value of another key, named {@code by}, forces this value. */
    record ForcedByKey(String by) implements Origin {}
}
