package io.imexagent.systemd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A file of {@code units/}, as lines of directives. */
record UnitFile(Path path, List<Directive> directives) {

    /** One line {@code key=value} of a section, and the comment lines right above it. */
    record Directive(String section, String key, String value, String comment) {}

    static UnitFile read(String name) {
        Path path = Path.of("units").resolve(name);
        try {
            return new UnitFile(path, directives(Files.readAllLines(path)));
        } catch (IOException missing) {
            throw new AssertionError(path + " cannot be read", missing);
        }
    }

    /** All values of a key, in their order. */
    List<String> values(String key) {
        return directives.stream()
                .filter(directive -> directive.key().equals(key))
                .map(Directive::value)
                .toList();
    }

    /** The only value of a key. */
    String value(String key) {
        List<String> values = values(key);
        if (values.size() != 1) {
            throw new AssertionError(path + " has " + values.size() + " lines " + key + "=");
        }
        return values.getFirst();
    }

    private static List<Directive> directives(List<String> lines) {
        var found = new ArrayList<Directive>();
        String section = "";
        var comment = new StringBuilder();
        for (String line : lines) {
            if (line.startsWith("#")) {
                comment.append(line.substring(1).strip()).append(' ');
            } else if (line.startsWith("[")) {
                section = line;
                comment.setLength(0);
            } else if (line.isBlank()) {
                comment.setLength(0);
            } else {
                int equals = line.indexOf('=');
                found.add(new Directive(
                        section, line.substring(0, equals), line.substring(equals + 1), comment.toString()));
            }
        }
        return List.copyOf(found);
    }
}
