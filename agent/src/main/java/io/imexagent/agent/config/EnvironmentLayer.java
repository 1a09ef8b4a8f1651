package io.imexagent.agent.config;

import io.imexagent.agent.config.Layer.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What the environment says. An empty variable counts as not set. */
final class EnvironmentLayer {

    /** Read by the start script, not by the configuration. */
    private static final List<String> LAUNCHERS = List.of(
            EnvironmentNames.PREFIX + "JAVA_", EnvironmentNames.PREFIX + "JVM_", EnvironmentNames.PREFIX + "IMAGE");

    private EnvironmentLayer() {}

    /** Reads the variables that begin with {@link EnvironmentNames#PREFIX}. */
    static Layer read(Map<String, String> environment) {
        List<RawValue> values = new ArrayList<>();
        List<ConfigFault> faults = new ArrayList<>();
        // The list of gates comes before their own variables in this order, so that the single one beats it.
        new TreeMap<>(environment).forEach((name, text) -> {
            if (name.startsWith(EnvironmentNames.PREFIX) && !text.isEmpty()) {
                Layer one = variable(name, text);
                values.addAll(one.values());
                faults.addAll(one.faults());
            }
        });
        return new Layer(values, faults);
    }

    private static Layer variable(String name, String text) {
        var origin = new Origin.Environment(name);
        if (name.equals(EnvironmentNames.FEATURE_GATES)) {
            return GateList.read(text, origin);
        }
        Optional<RawValue> value = ConfigKeys.ALL.stream()
                .filter(key -> key.environmentVariable().equals(name))
                .findFirst()
                .map(key -> new RawValue(key, text, origin));
        if (value.isPresent()) {
            return new Layer(List.of(value.get()), List.of());
        }
        boolean known = name.equals(EnvironmentNames.CONFIG_FILE)
                || LAUNCHERS.stream().anyMatch(name::startsWith)
                || ServiceVariable.is(name, text);
        return new Layer(List.of(), known ? List.of() : List.of(ConfigFault.in(origin, unknown(name))));
    }

    private static String unknown(String name) {
        List<String> names =
                ConfigKeys.ALL.stream().map(key -> key.environmentVariable()).toList();
        return "unknown variable"
                + Nearest.among(names, name)
                        .map(nearest -> "; the nearest is " + nearest)
                        .orElse("");
    }

    /** What the kubelet puts into the environment of every pod beside a Service named imex-agent, or imex-agent-…. */
    private static final class ServiceVariable {

        private static final Pattern NAME =
                Pattern.compile(".*_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT|PORT_[0-9]+_(TCP|UDP|SCTP)(_.*)?)"
                        + "|IMEX_AGENT_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_.*)?)");
        private static final Pattern URL = Pattern.compile("(tcp|udp|sctp)://.*");

        static boolean is(String name, String text) {
            return NAME.matcher(name).matches()
                    && (!name.endsWith("_PORT")
                            || name.endsWith("_SERVICE_PORT")
                            || URL.matcher(text).matches());
        }
    }
}
