package io.imexagent.agent.config;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The configuration in environment variables: those of keys ({@code http.tls.key} is IMEX_AGENT_HTTP_TLS_KEY) and those
 * of {@link PublicName}. An empty variable counts as not set.
 */
final class EnvironmentLayer {

    static final String PREFIX = "IMEX_AGENT_";

    static final String CONFIG_FILE = PREFIX + "CONFIG";

    static final String FEATURE_GATES = PREFIX + "FEATURE_GATES";

    /** Prefixes of variables that the start script reads. */
    private static final List<String> LAUNCHERS = List.of(PREFIX + "JAVA_", PREFIX + "JVM_", PREFIX + "IMAGE");

    private static final String SERVICE = ".*_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT|PORT_[0-9]+_(TCP|UDP|SCTP)(_.*)?)"
            + "|IMEX_AGENT_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_.*)?)";

    private static final Pattern WORD_BREAK = Pattern.compile("(?<=[^.A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

    private EnvironmentLayer() {}

    static void read(Map<String, String> environment, ConfigDraft draft) {
        // In this order the list of gates precedes the variables of single gates, which override the list.
        new TreeMap<>(environment).forEach((name, text) -> {
            if (text.isEmpty()) {
                return;
            }
            PublicName.ofVariable(name).ifPresent(known -> draft.set(known, text, new Origin.FromEnvironment(name)));
            if (name.startsWith(PREFIX)) {
                variable(name, text, draft);
            }
        });
    }

    private static void variable(String name, String text, ConfigDraft draft) {
        var origin = new Origin.FromEnvironment(name);
        Optional<ConfigKey> key = ConfigKeys.ALL.stream()
                .filter(candidate -> candidate.environmentVariable().equals(name))
                .findFirst();
        boolean known =
                name.equals(CONFIG_FILE) || LAUNCHERS.stream().anyMatch(name::startsWith) || isOfService(name, text);
        if (name.equals(FEATURE_GATES)) {
            draft.setGates(text, origin);
        } else if (key.isPresent()) {
            draft.set(key.get(), text, origin);
        } else if (!known) {
            List<String> all =
                    ConfigKeys.ALL.stream().map(ConfigKey::environmentVariable).toList();
            String nearest = ConfigKeys.nearest(all, name)
                    .map(near -> "; the nearest is " + near)
                    .orElse("");
            draft.add(ConfigFault.in(origin, "unknown variable" + nearest));
        }
    }

    /** The variable of the key: upper case, with underscores for dots and before each word of a camel-case name. */
    static String of(String path) {
        return PREFIX + upperSnake(path);
    }

    /** Splits words: a capital begins one next to a small letter ({@code IMEXDaemonsWithDNSNames} has five). */
    static String upperSnake(String path) {
        return WORD_BREAK.matcher(path).replaceAll("_").replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** Whether the kubelet sets it in pods of a namespace with a Service named imex-agent, or imex-agent-…. */
    private static boolean isOfService(String name, String text) {
        return name.matches(SERVICE)
                && (!name.endsWith("_PORT") || name.endsWith("_SERVICE_PORT") || text.matches("(tcp|udp|sctp)://.*"));
    }
}
