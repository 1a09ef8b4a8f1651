package io.imexagent.agent.config;

import java.nio.file.Path;

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

    /** Another value, of this name, left no choice. */
    record Forced(String by) implements Origin {}
}
