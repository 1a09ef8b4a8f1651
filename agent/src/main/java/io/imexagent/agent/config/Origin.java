package io.imexagent.agent.config;

import java.nio.file.Path;

/** Where an effective value came from. */
public sealed interface Origin {

    /** The origin in a few words, as messages and {@code config show} give it. */
    default String text() {
        return switch (this) {
            case Standard standard -> "default";
            case InFile place -> place.file() + ":" + place.line();
            case Environment environment -> "environment " + environment.variable();
            case Flag flag -> "flag " + flag.name();
            case Forced forced -> "forced by " + forced.by();
        };
    }

    /** Nobody set it. */
    record Standard() implements Origin {}

    /**
     * The configuration file.
     *
     * @param file the file
     * @param line the line, from 1
     */
    record InFile(Path file, int line) implements Origin {}

    /**
     * The environment.
     *
     * @param variable the variable's name
     */
    record Environment(String variable) implements Origin {}

    /**
     * The command line.
     *
     * @param name the flag, with its hyphens
     */
    record Flag(String name) implements Origin {}

    /**
     * Another value left no choice.
     *
     * @param by that value's name
     */
    record Forced(String by) implements Origin {}
}
