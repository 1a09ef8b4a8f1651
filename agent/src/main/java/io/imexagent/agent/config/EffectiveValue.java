package io.imexagent.agent.config;

import java.util.Optional;

/**
 * The value that a key has in the end.
 *
 * @param key the key
 * @param text the value as text; empty where the key has none
 * @param origin where it came from
 */
public record EffectiveValue(ConfigKey<?> key, Optional<String> text, Origin origin) {}
