package io.imexagent.agent.config;

import io.imexagent.core.policy.Isolation;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A setting of the public driver, release 0.5, that is taken for one of ours: a key of the file, which is also taken as in
 * the values of the public chart, a variable of the environment and a flag, in its words for the values.
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

    /** The section of a file. */
    private static final String SECTION = "imex";

    /** The section of the values of the public chart. */
    private static final String CHART = "resources.computeDomains.imex";

    /** What of a values file of the public chart is known here, as a clause. */
    static final String KNOWN = "of the public chart's values " + CHART + " is taken here, with mode, isolation and"
            + " hostSocketPath; docs/switching.md has a table of the others";

    private final String name;
    private final String variable;
    private final String flag;
    private final String key;

    /** Our word for each of its; empty where it takes any text that our key takes. */
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

    /** The name at this path of a file; not {@code imex.isolation}, which is a key of ours that takes both words. */
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

    /** The name whose word this is, where a key of ours takes the words of both. */
    static Optional<PublicName> ofWord(ConfigKey key, String text) {
        return Arrays.stream(values())
                .filter(name -> name.path().equals(key.path()) && name.words.containsKey(text))
                .findFirst();
    }

    /** Whether the values of the public chart have a section here, with a name in it. */
    static boolean isSection(String path) {
        return CHART.equals(path) || CHART.startsWith(path + ".");
    }

    static List<String> flags() {
        return Arrays.stream(values()).map(PublicName::flag).toList();
    }

    /** Its place in a file: {@code imex.mode}. */
    String path() {
        return ConfigKeys.join(SECTION, name);
    }

    /** Its place in the values of the public chart. */
    String inChart() {
        return ConfigKeys.join(CHART, name);
    }

    public String flag() {
        return flag;
    }

    public String variable() {
        return variable;
    }

    /** What it does, in a sentence. */
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

    /** The key of ours that it is taken for. */
    ConfigKey key() {
        return ConfigKeys.at(key);
    }

    /** What it can be, in its words. */
    List<String> choices() {
        return List.copyOf(words.keySet());
    }

    /** What it must be, as a noun phrase. */
    String expected() {
        return words.isEmpty() ? key().expected() : "one of " + String.join(", ", words.keySet());
    }

    /** What this text is in the grammar of our key; empty where it is nothing. */
    Optional<String> ours(String text) {
        return words.isEmpty() ? Optional.of(text) : Optional.ofNullable(words.get(text));
    }
}
