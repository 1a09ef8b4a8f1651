package io.imexagent.agent.config;

import io.imexagent.imex.prepare.CliqueMissing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;

/**
 * The effect of a changed configuration on a running agent: changes that take effect now, and are in {@code config},
 * and changes that wait for a restart.
 */
public record ReloadPlan(List<ConfigChange> applied, List<ConfigChange> needRestart, AgentConfig config) {

    public ReloadPlan {
        applied = List.copyOf(applied);
        needRestart = List.copyOf(needRestart);
    }

    /** The plan from the running configuration to the loaded one, with the changes of these keys. */
    public static ReloadPlan between(AgentConfig running, AgentConfig loaded, Predicate<String> keys) {
        List<ConfigChange> applied = new ArrayList<>();
        List<ConfigChange> needRestart = new ArrayList<>();
        Map<ConfigKey, ConfigValues.ConfigEntry> entries = new HashMap<>();
        for (ConfigKey key : ConfigKeys.ALL) {
            boolean now = key.reloadable() && !isHeldBack(key, running, loaded);
            AgentConfig next = now ? loaded : running;
            next.values().entry(key).ifPresent(entry -> entries.put(key, entry));
            var change = new ConfigChange(key.path(), key.textIn(running), key.textIn(loaded));
            // A kubeconfig that the kubelet has created in the meantime is already in use.
            boolean come = change.from().isEmpty() && loaded.values().origin(key) instanceof Origin.FoundOnHost;
            if (!change.from().equals(change.to()) && !come && keys.test(key.path())) {
                (now ? applied : needRestart).add(change);
            }
        }
        return new ReloadPlan(
                applied, needRestart, AgentConfig.of(new ConfigValues(entries), loaded.file(), loaded.notes()));
    }

    /** Whether a change must wait because it contradicts another value that stays until the restart. */
    private static boolean isHeldBack(ConfigKey key, AgentConfig running, AgentConfig loaded) {
        return key.path().equals(ConfigKeys.WITHOUT_CLIQUE)
                && loaded.values().are(ConfigKeys.WITHOUT_CLIQUE, false)
                && running.values().are(ConfigKeys.CLIQUE_MISSING, CliqueMissing.SUCCEED);
    }

    /** The plan with all changes taking effect now, for a caller that starts again. */
    public ReloadPlan atOnce() {
        return new ReloadPlan(
                Stream.concat(applied.stream(), needRestart.stream()).toList(), List.of(), config);
    }

    /** The keys whose changes wait for a restart. */
    public List<String> waiting() {
        return needRestart.stream().map(ConfigChange::key).toList();
    }

    /** Logs every change; false if there is none. */
    public boolean log(Logger log) {
        applied.forEach(change -> log.info("configuration reloaded change=\"{}\"", change));
        needRestart.forEach(change -> log.warn("configuration change waits for a restart change=\"{}\"", change));
        return !applied.isEmpty() || !needRestart.isEmpty();
    }

    /** Logs why the loaded configuration is not applied. */
    public static void logRefused(List<ConfigFault> faults, Logger log) {
        faults.forEach(fault -> log.error("configuration not reloaded fault=\"{}\"", fault.text()));
    }

    /** A changed value, as texts before and after; empty if the key has no value. */
    public record ConfigChange(String key, Optional<String> from, Optional<String> to) {

        /** The change as text, {@code log.level info -> debug}. */
        @Override
        public String toString() {
            return key + " " + from.orElse("(unset)") + " -> " + to.orElse("(unset)");
        }
    }
}
