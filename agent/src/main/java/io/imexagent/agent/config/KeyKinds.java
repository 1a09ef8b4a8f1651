package io.imexagent.agent.config;

import io.imexagent.agent.config.ConfigKey.Standard;
import io.imexagent.agent.config.ValueType.AbsolutePath;
import io.imexagent.agent.config.ValueType.Span;
import io.imexagent.agent.config.ValueType.Switch;
import java.nio.file.Path;
import java.time.Duration;

/** Kinds of keys that there are many of. */
final class KeyKinds {

    private KeyKinds() {}

    /** A path whose default is also its example. */
    static ConfigKey<Path> path(String path, String standard, String meaning) {
        return path(path, standard, standard, meaning);
    }

    /** A path. */
    static ConfigKey<Path> path(String path, String standard, String example, String meaning) {
        return ConfigKey.of(path, new AbsolutePath(example), new Standard.Fixed<>(Path.of(standard)), meaning);
    }

    /** A switch. */
    static ConfigKey<Boolean> toggle(String path, boolean standard, String meaning) {
        return ConfigKey.of(path, new Switch(), new Standard.Fixed<>(standard), meaning);
    }

    /** A duration. */
    static ConfigKey<Duration> span(String path, Duration least, Duration most, Duration standard, String meaning) {
        return ConfigKey.of(path, new Span(least, most, false), new Standard.Fixed<>(standard), meaning);
    }
}
