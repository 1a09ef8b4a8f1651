package io.imexagent.agent.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a changed configuration means for an agent that runs.
 *
 * @param applied changes that take effect now
 * @param needRestart changes that wait for a restart
 * @param config the running configuration with the applied changes
 */
public record ReloadPlan(List<Change> applied, List<Change> needRestart, AgentConfig config) {

    /** Copies the lists in. */
    public ReloadPlan {
        applied = List.copyOf(applied);
        needRestart = List.copyOf(needRestart);
    }

    /** The plan from the configuration that runs to the one that was loaded. */
    public static ReloadPlan between(AgentConfig running, AgentConfig loaded) {
        return new ReloadPlan(
                changes(running, loaded, true), changes(running, loaded, false), applied(running, loaded));
    }

    private static List<Change> changes(AgentConfig running, AgentConfig loaded, boolean reloadable) {
        return ConfigKeys.ALL.stream()
                .filter(key -> key.reloadable() == reloadable)
                .flatMap(key -> change(key, running, loaded))
                .toList();
    }

    private static Stream<Change> change(ConfigKey key, AgentConfig running, AgentConfig loaded) {
        Optional<String> from = key.textIn(running);
        Optional<String> to = key.textIn(loaded);
        return from.equals(to) ? Stream.empty() : Stream.of(new Change(key.path(), from, to));
    }

    /** What runs, with the loaded values of the keys that a running agent can follow. */
    private static AgentConfig applied(AgentConfig running, AgentConfig loaded) {
        Map<ConfigKey, ConfigValues.Entry> entries = new HashMap<>();
        for (ConfigKey key : ConfigKeys.ALL) {
            (key.reloadable() ? loaded : running).values().entry(key).ifPresent(entry -> entries.put(key, entry));
        }
        return new AgentConfig(new ConfigValues(entries));
    }

    /**
     * A value that changed.
     *
     * @param key the key's path
     * @param from its text before; empty where it had no value
     * @param to its text after; likewise
     */
    public record Change(String key, Optional<String> from, Optional<String> to) {

        /** The change in a few words, {@code log.level info -> debug}. */
        @Override
        public String toString() {
            return key + " " + from.orElse("(unset)") + " -> " + to.orElse("(unset)");
        }
    }
}
