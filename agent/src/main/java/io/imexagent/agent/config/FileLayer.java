package io.imexagent.agent.config;

import io.imexagent.agent.config.Layer.RawValue;
import io.imexagent.core.claim.Quoted;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the configuration file says. */
final class FileLayer {

    private final Path file;
    private final List<RawValue> values = new ArrayList<>();
    private final List<ConfigFault> faults = new ArrayList<>();

    private FileLayer(Path file) {
        this.file = file;
    }

    /** Reads the file's text. */
    static Layer read(Path file, String text) {
        var layer = new FileLayer(file);
        try {
            layer.document(YamlReader.read(text));
        } catch (YamlReader.BrokenYamlException broken) {
            layer.faults.add(ConfigFault.in(layer.at(broken.line()), "is not YAML: " + broken.getMessage()));
        }
        return new Layer(layer.values, layer.faults);
    }

    private void document(YamlNode document) {
        switch (document) {
            case YamlNode.Empty empty -> {}
            case YamlNode.Mapping mapping -> section("", mapping);
            case YamlNode.Sequence other -> noMapping(other);
            case YamlNode.Scalar other -> noMapping(other);
            case YamlNode.Alias other -> noMapping(other);
        }
    }

    private void noMapping(YamlNode node) {
        faults.add(ConfigFault.in(at(node.line()), "the file must hold sections, such as " + KeySpace.children("")));
    }

    private void section(String section, YamlNode.Mapping mapping) {
        Map<String, Integer> seen = new HashMap<>();
        for (YamlNode.Member member : mapping.members()) {
            String path = KeySpace.join(section, member.key());
            Integer first = seen.putIfAbsent(member.key(), member.line());
            if (first == null) {
                member(section, path, member);
            } else {
                faults.add(ConfigFault.at(
                        at(member.line()), path, "stands here a second time; the first is in line " + first));
            }
        }
    }

    private void member(String section, String path, YamlNode.Member member) {
        Optional<ConfigKey<?>> key = member.key().contains(".") ? Optional.empty() : ConfigKeys.find(path);
        if (key.isPresent()) {
            value(key.get(), member.line(), member.value());
        } else if (KeySpace.isSection(path) && !member.key().contains(".")) {
            subsection(path, member);
        } else {
            faults.add(ConfigFault.at(
                    at(member.line()), shown(path), "unknown key; " + KeySpace.suggestion(section, member.key())));
        }
    }

    private void subsection(String path, YamlNode.Member member) {
        switch (member.value()) {
            case YamlNode.Empty empty -> {}
            case YamlNode.Mapping mapping -> section(path, mapping);
            case YamlNode.Sequence list -> noSection(path, member.line(), "a list");
            case YamlNode.Scalar scalar -> noSection(path, member.line(), Quoted.of(scalar.text()));
            case YamlNode.Alias alias -> noSection(path, member.line(), "an alias");
        }
    }

    private void noSection(String path, int line, String found) {
        faults.add(ConfigFault.at(
                at(line), path, "is " + found + "; it must be a section with " + KeySpace.children(path)));
    }

    private void value(ConfigKey<?> key, int line, YamlNode value) {
        switch (value) {
            case YamlNode.Scalar scalar -> values.add(new RawValue(key, scalar.text(), at(line)));
            case YamlNode.Empty empty -> noValue(key, line, "has no value");
            case YamlNode.Mapping mapping -> noValue(key, line, "is a section");
            case YamlNode.Sequence list -> list(key, line, list);
            case YamlNode.Alias alias -> noValue(key, line, "is an alias");
        }
    }

    /** A list stands for its entries with the separator between them. */
    private void list(ConfigKey<?> key, int line, YamlNode.Sequence list) {
        String separator = key.type().separator().orElse("");
        if (separator.isEmpty()) {
            noValue(key, line, "is a list");
        } else if (list.entries().isEmpty()) {
            noValue(key, line, "is a list with something else than texts in it");
        } else if (list.entries().get().stream().anyMatch(entry -> entry.isBlank() || entry.contains(separator))) {
            noValue(key, line, "has an entry that is empty or holds the separator " + separator);
        } else {
            values.add(new RawValue(key, String.join(separator, list.entries().get()), at(line)));
        }
    }

    private void noValue(ConfigKey<?> key, int line, String found) {
        faults.add(ConfigFault.at(at(line), key.path(), found + "; expected " + key.expected()));
    }

    private Origin at(int line) {
        return new Origin.InFile(file, line);
    }

    /** The path, fit for a message whatever its author wrote. */
    private static String shown(String path) {
        boolean plain = path.chars().allMatch(c -> c > ' ' && c < 127) && path.length() <= 80;
        return plain ? path : Quoted.of(path);
    }
}
