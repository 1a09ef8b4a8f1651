package io.imexagent.agent.config;

import io.imexagent.core.setting.Setting;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * All keys of the configuration, collected from {@link AgentConfig} and the records in it: the only source for loading,
 * reference, flags and {@code config show}.
 */
public final class ConfigKeys {

    /** The flag that sets any key, {@code --set http.port=9500}. */
    public static final String SET_FLAG = "--set";

    /** The flag that sets feature gates in the public driver's form, {@code --feature-gates A=true,B=false}. */
    public static final String FEATURE_GATES_FLAG = "--feature-gates";

    /** The default configuration file, which need not exist. */
    public static final Path DEFAULT_FILE = Path.of("/etc/imex-agent/config.yaml");

    static final String FEATURE_GATES = "featureGates";

    static final String CLIQUE_MISSING = "imex.cliqueMissing";

    static final String WITHOUT_CLIQUE = "publication.withoutClique";

    /** The gate of host-managed IMEX. */
    public static final String HOST_MANAGED = FEATURE_GATES + ".HostManagedIMEX";

    /** A gate of the public driver, which only permits its mode {@code hostManaged}. */
    static final String HOST_MANAGED_DAEMON = FEATURE_GATES + ".HostManagedIMEXDaemon";

    static final String ISOLATION = "imex.isolation";

    /** The longest name that is compared with known ones; keys are much shorter, but a generated file may have any. */
    private static final int LONGEST = 128;

    private static final Map<String, ConfigKey> BY_PATH = new LinkedHashMap<>();

    /** Keys by the path of record components, which differs from the key's path if the annotation renames it. */
    private static final Map<String, ConfigKey> BY_COMPONENT = new HashMap<>();

    static {
        collect("", AgentConfig.class);
    }

    /** All keys, in the order of the file and the reference. */
    public static final List<ConfigKey> ALL = List.copyOf(BY_PATH.values());

    private ConfigKeys() {}

    private static void collect(String section, Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            if (component.isAnnotationPresent(Setting.class)) {
                var key = new ConfigKey(section, component);
                BY_PATH.put(key.path(), key);
                BY_COMPONENT.put(join(section, component.getName()), key);
            } else if (component.getType().isRecord()) {
                collect(join(section, component.getName()), component.getType());
            }
        }
    }

    static Optional<ConfigKey> find(String path) {
        return Optional.ofNullable(BY_PATH.get(path));
    }

    /** The key of the component in the section's record; empty if the component is itself a section. */
    static Optional<ConfigKey> ofComponent(String section, String name) {
        return Optional.ofNullable(BY_COMPONENT.get(join(section, name)));
    }

    static ConfigKey at(String path) {
        return find(path).orElseThrow(() -> new IllegalArgumentException("there is no key " + path));
    }

    /** The flags that set values; a later one in this order overrides an earlier one. */
    public static List<String> flags() {
        return Stream.of(
                        ALL.stream().flatMap(key -> key.flag().stream()),
                        PublicName.flags().stream(),
                        Stream.of(FEATURE_GATES_FLAG, SET_FLAG))
                .flatMap(flags -> flags)
                .toList();
    }

    /** The keys of the section and its subsections; all keys for the empty section. */
    static List<ConfigKey> in(String section) {
        return ALL.stream()
                .filter(key -> section.isEmpty() || key.path().startsWith(section + "."))
                .toList();
    }

    static String join(String section, String name) {
        return section.isEmpty() ? name : section + "." + name;
    }

    static boolean isSection(String path) {
        return ALL.stream().anyMatch(key -> key.path().startsWith(path + "."));
    }

    /** The names directly in the section; for the empty section, the top-level names. */
    static List<String> names(String section) {
        int depth = section.isEmpty() ? 0 : section.length() + 1;
        return in(section).stream()
                .map(key -> key.path().substring(depth).split("\\.", 2)[0])
                .distinct()
                .toList();
    }

    static String children(String section) {
        return String.join(", ", names(section));
    }

    /** A suggestion for a mistyped name: the nearest in its section, its name in another, or all of this section. */
    static String suggestion(String section, String name) {
        Optional<String> nearest = name.length() > LONGEST ? Optional.empty() : nearest(section, name);
        // A key with dots in its name gets a hint.
        return nearest.map(path ->
                        "the nearest is " + path + (name.contains(".") ? ", which is written as nested sections" : ""))
                .orElseGet(() -> "known here: " + children(section));
    }

    private static Optional<String> nearest(String section, String name) {
        return nearest(names(section), name)
                .map(known -> join(section, known))
                .or(() -> ALL.stream()
                        .filter(key -> distance(key.name(), name) <= 1)
                        .map(ConfigKey::path)
                        .findFirst())
                .or(() -> nearest(BY_PATH.keySet(), join(section, name)));
    }

    /**
     * The nearest of the known words by letters added, omitted, replaced or swapped, ignoring case; empty if even the
     * nearest differs in more than about a third of its letters.
     */
    static Optional<String> nearest(Collection<String> known, String given) {
        return known.stream()
                .filter(word -> distance(word, given) <= tolerance(word))
                .min(Comparator.comparingInt(word -> distance(word, given)));
    }

    private static int tolerance(String word) {
        return word.length() <= 4 ? 1 : Math.max(2, word.length() / 3);
    }

    /** The number of edits between the words; a swap of neighbours is one edit (optimal string alignment). */
    static int distance(String one, String other) {
        String a = one.toLowerCase(Locale.ROOT);
        String b = other.toLowerCase(Locale.ROOT);
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(cost, a, b, i, j);
            }
        }
        return cost[a.length()][b.length()];
    }

    private static int cheapest(int[][] cost, String a, String b, int i, int j) {
        int replaced = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int edited = Math.min(replaced, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(edited, cost[i - 2][j - 2] + 1) : edited;
    }
}
