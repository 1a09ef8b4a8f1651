package io.imexagent.agent.config;

import io.imexagent.core.setting.Setting;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All keys of the configuration, as {@link AgentConfig} and the records in it say them: the one source of its loading, its
 * reference, its flags and {@code config show}.
 */
public final class ConfigKeys {

    /** The flag that sets any key, {@code --set http.port=9500}. */
    public static final String SET_FLAG = "--set";

    /** The flag that sets feature gates in the public driver's form, {@code --feature-gates A=true,B=false}. */
    public static final String FEATURE_GATES_FLAG = "--feature-gates";

    /** The configuration file where none is named; it need not exist. */
    public static final Path DEFAULT_FILE = Path.of("/etc/imex-agent/config.yaml");

    /** The section of the feature gates. */
    static final String FEATURE_GATES = "featureGates";

    private static final Map<String, ConfigKey> BY_PATH = new LinkedHashMap<>();

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
            } else if (component.getType().isRecord()) {
                collect(KeySpace.join(section, component.getName()), component.getType());
            }
        }
    }

    /** The key of this path. */
    static Optional<ConfigKey> find(String path) {
        return Optional.ofNullable(BY_PATH.get(path));
    }

    /** The key of this path, which there is. */
    static ConfigKey at(String path) {
        return find(path).orElseThrow(() -> new IllegalArgumentException("there is no key " + path));
    }

    /** All paths. */
    static Set<String> paths() {
        return Collections.unmodifiableSet(BY_PATH.keySet());
    }

    /** The keys of the section and of those in it; all for the empty one. */
    static List<ConfigKey> in(String section) {
        List<ConfigKey> keys = new ArrayList<>(ALL);
        keys.removeIf(key -> !section.isEmpty() && !key.path().startsWith(section + "."));
        return keys;
    }
}
