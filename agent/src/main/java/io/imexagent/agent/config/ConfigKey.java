package io.imexagent.agent.config;

import io.imexagent.agent.config.ValueType.AbsolutePath;
import io.imexagent.agent.config.ValueType.Span;
import io.imexagent.agent.config.ValueType.Switch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One key of the configuration: what the file, the environment, the command line, the reference and {@code config show}
 * know of it. All keys stand in {@link ConfigKeys}.
 *
 * @param <T> the Java type of its value
 * @param path where the key stands in the file, its sections joined by dots: {@code http.tls.key}
 * @param type what its value can be
 * @param standard what holds where nothing is set
 * @param meaning what the value does, in one sentence
 * @param flag the flag of its own, with its hyphens; a key without one is set by {@code --set}
 * @param reloadable whether a change takes effect on SIGHUP; otherwise it waits for a restart
 */
public record ConfigKey<T>(
        String path,
        ValueType<T> type,
        Standard<T> standard,
        String meaning,
        Optional<String> flag,
        boolean reloadable) {

    /** A key that may stay without a value where its default is {@link Standard.Unset}, and always has one otherwise. */
    static <T> ConfigKey<T> of(String path, ValueType<T> type, Standard<T> standard, String meaning) {
        return new ConfigKey<>(path, type, standard, meaning, Optional.empty(), false);
    }

    /** A path whose default is also its example. */
    static ConfigKey<Path> path(String path, String standard, String meaning) {
        return path(path, standard, standard, meaning);
    }

    /** A path. */
    static ConfigKey<Path> path(String path, String standard, String example, String meaning) {
        return of(path, new AbsolutePath(example), new Standard.Fixed<>(Path.of(standard)), meaning);
    }

    /** A switch. */
    static ConfigKey<Boolean> toggle(String path, boolean standard, String meaning) {
        return of(path, new Switch(), new Standard.Fixed<>(standard), meaning);
    }

    /** A duration. */
    static ConfigKey<Duration> span(String path, Duration least, Duration most, Duration standard, String meaning) {
        return of(path, new Span(least, most, false), new Standard.Fixed<>(standard), meaning);
    }

    /** This key with a flag of its own on the command line. */
    ConfigKey<T> withFlag(String name) {
        return new ConfigKey<>(path, type, standard, meaning, Optional.of(name), reloadable);
    }

    /** This key as one whose change takes effect without a restart. */
    ConfigKey<T> withReload() {
        return new ConfigKey<>(path, type, standard, meaning, flag, true);
    }

    /** The environment variable that sets it. */
    public String environmentVariable() {
        return EnvironmentLayer.of(path);
    }

    /** What stands for the value in usage texts: the last part of the path, upper case, {@code DRIVER_ROOT}. */
    public String placeholder() {
        return EnvironmentLayer.upperSnake(name());
    }

    /** What the value must be, as a noun phrase with range, unit and example. */
    public String expected() {
        return type.expected();
    }

    /** The values to choose from; empty where there are too many to list. */
    public List<String> choices() {
        return type.choices();
    }

    /** What holds where nothing is set, in words. */
    public String standardText() {
        return switch (standard) {
            case Standard.Fixed<T> fixed -> type.print(fixed.value());
            case Standard.Unset<T> unset -> "none, " + unset.meaning();
            case Standard.HostName<T> host -> "the host name, in lower case";
        };
    }

    /** The default as text, or an example where there is none. */
    String sample() {
        return switch (standard) {
            case Standard.Fixed<T> fixed -> type.print(fixed.value());
            case Standard.Unset<T> unset -> type.print(unset.example());
            case Standard.HostName<T> host -> "node-1";
        };
    }

    /** The value in the configuration, as text; empty where it has none. */
    public Optional<String> textIn(AgentConfig config) {
        return config.find(this).map(type::print);
    }

    /** The last part of the path. */
    String name() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    /** The path without its last part. */
    String section() {
        return path.substring(0, path.lastIndexOf('.'));
    }

    @Override
    public String toString() {
        return path;
    }

    /** What holds where nothing is set. */
    sealed interface Standard<T> {

        /**
         * This value.
         *
         * @param value the value
         */
        record Fixed<T>(T value) implements Standard<T> {}

        /**
         * None, and that means something.
         *
         * @param meaning what, as a clause
         * @param example a value that it could have
         */
        record Unset<T>(String meaning, T example) implements Standard<T> {}

        /** The host's name. */
        record HostName<T>() implements Standard<T> {}
    }
}
