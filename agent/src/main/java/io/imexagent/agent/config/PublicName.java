package io.imexagent.agent.config;

import io.imexagent.core.policy.Isolation;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A setting of the public driver, release 0.5, that is accepted for one of our keys, with the public driver's words for
 * the values: a key of the file, also at its path in the values of the public chart, an environment variable and a
 * flag.
 */
public enum PublicName {
    MODE(
            "mode",
            "IMEX_MODE",
            "--imex-mode",
            ConfigKeys.HOST_MANAGED,
            words("driverManaged", "false", "hostManaged", "true")),
    ISOLATION(
            "isolation",
            "IMEX_ISOLATION",
            "--imex-isolation",
            ConfigKeys.ISOLATION,
            words("domain", Isolation.NONE.text(), "channel", Isolation.IMEX_CHANNEL.text())),
    HOST_SOCKET_PATH(
            "hostSocketPath", "IMEX_HOST_SOCKET_PATH", "--imex-host-socket-path", "imex.health.socket", Map.of());

    /** The section in a file. */
    private static final String SECTION = "imex";

    /** The section in the values of the public chart. */
    private static final String CHART = "resources.computeDomains.imex";

    /** The supported part of a values file of the public chart, as a clause. */
    static final String KNOWN = "of the public chart's values " + CHART + " is taken here, with mode, isolation and"
            + " hostSocketPath; docs/switching.md has a table of the others";

    private final String name;
    private final String variable;
    private final String flag;
    private final String key;

    /** Our words by the public driver's; empty if the setting accepts any value of our key. */
    @SuppressWarnings("ImmutableEnumChecker") // never changed
    private final Map<String, String> words;

    PublicName(String name, String variable, String flag, String key, Map<String, String> words) {
        this.name = name;
        this.variable = variable;
        this.flag = flag;
        this.key = key;
        this.words = words;
    }

    private static Map<String, String> words(String one, String ours, String other, String otherOfOurs) {
        var words = new LinkedHashMap<String, String>();
        words.put(one, ours);
        words.put(other, otherOfOurs);
        return words;
    }

    /** The name at this path of a file; not {@code imex.isolation}, which is also our key and accepts both words. */
    static Optional<PublicName> at(String path) {
        return Arrays.stream(values())
                .filter(name -> path.equals(name.inChart())
                        || (path.equals(name.path()) && ConfigKeys.find(path).isEmpty()))
                .findFirst();
    }

    static Optional<PublicName> ofVariable(String variable) {
        return Arrays.stream(values())
                .filter(name -> name.variable.equals(variable))
                .findFirst();
    }

    /** The name with this word, for a key of ours that accepts the words of both. */
    static Optional<PublicName> ofWord(ConfigKey key, String text) {
        return Arrays.stream(values())
                .filter(name -> name.path().equals(key.path()) && name.words.containsKey(text))
                .findFirst();
    }

    /** Whether a known name is below this section in the values of the public chart. */
    static boolean isSection(String path) {
        return CHART.equals(path) || CHART.startsWith(path + ".");
    }

    static List<String> flags() {
        return Arrays.stream(values()).map(PublicName::flag).toList();
    }

    /** The path in a file: {@code imex.mode}. */
    String path() {
        return ConfigKeys.join(SECTION, name);
    }

    /** The path in the values of the public chart. */
    String inChart() {
        return ConfigKeys.join(CHART, name);
    }

    public String flag() {
        return flag;
    }

    public String variable() {
        return variable;
    }

    /** Describes the setting in one sentence. */
    public String meaning() {
        return "The public driver's name for " + key
                + (words.isEmpty()
                        ? "."
                        : ": "
                                + words.entrySet().stream()
                                        .map(word -> word.getKey() + " is " + word.getValue())
                                        .collect(Collectors.joining(", "))
                                + ".");
    }

    /** Our key that this setting sets. */
    ConfigKey key() {
        return ConfigKeys.at(key);
    }

    /** The possible values, in the public driver's words. */
    List<String> choices() {
        return List.copyOf(words.keySet());
    }

    /** Describes valid values, as a noun phrase. */
    String expected() {
        return words.isEmpty() ? key().expected() : "one of " + String.join(", ", words.keySet());
    }

    /** Translates a value into the grammar of our key; empty if it is unknown. */
    Optional<String> ours(String text) {
        return words.isEmpty() ? Optional.of(text) : Optional.ofNullable(words.get(text));
    }
}
