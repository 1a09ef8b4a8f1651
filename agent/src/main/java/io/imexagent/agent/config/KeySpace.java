package io.imexagent.agent.config;

import java.util.List;
import java.util.Optional;

/** The tree of sections that the keys' paths make. */
final class KeySpace {

    /** No key comes near this length, and a file's author may be a machine. */
    private static final int LONGEST = 128;

    private KeySpace() {}

    /** The path of the name in the section. */
    static String join(String section, String name) {
        return section.isEmpty() ? name : section + "." + name;
    }

    /** Whether keys stand below the path. */
    static boolean isSection(String path) {
        return ConfigKeys.paths().stream().anyMatch(known -> known.startsWith(path + "."));
    }

    /** The names that stand directly in the section. */
    static List<String> names(String section) {
        String prefix = section.isEmpty() ? "" : section + ".";
        return ConfigKeys.paths().stream()
                .filter(path -> path.startsWith(prefix))
                .map(path -> path.substring(prefix.length()))
                .map(rest -> rest.contains(".") ? rest.substring(0, rest.indexOf('.')) : rest)
                .distinct()
                .toList();
    }

    /** The same as a list in words. */
    static String children(String section) {
        return String.join(", ", names(section));
    }

    /** What the mistyped name may have meant: the nearest of its section, one of its name in another, or all of here. */
    static String suggestion(String section, String name) {
        Optional<String> nearest = name.length() > LONGEST ? Optional.empty() : nearest(section, name);
        return nearest.map(path -> "the nearest is " + path + nested(name))
                .orElseGet(() -> "known here: " + children(section));
    }

    private static Optional<String> nearest(String section, String name) {
        return Nearest.among(names(section), name)
                .map(known -> join(section, known))
                .or(() -> ConfigKeys.ALL.stream()
                        .filter(key -> Nearest.distance(key.name(), name) <= 1)
                        .map(key -> key.path())
                        .findFirst())
                .or(() -> Nearest.among(ConfigKeys.paths(), join(section, name)));
    }

    /** A hint for a key that was written with dots. */
    private static String nested(String name) {
        return name.contains(".") ? ", which is written as nested sections" : "";
    }
}
