package io.imexagent.agent.config;

import io.imexagent.core.claim.Quoted;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/** What the configuration file says, one YAML document. Read as a tree of nodes, since binding would lose the lines. */
final class FileLayer {

    private final Path file;
    private final ConfigDraft draft;

    private FileLayer(Path file, ConfigDraft draft) {
        this.file = file;
        this.draft = draft;
    }

    /** Reads the file's text; of a text that is not YAML the draft gets that fault alone. */
    static void read(Path file, String text, ConfigDraft draft) {
        var layer = new FileLayer(file, draft);
        try {
            var options = new LoaderOptions();
            var parser = new ParserImpl(new StreamReader(text), options);
            layer.document(Optional.ofNullable(new Composer(parser, new Resolver(), options).getSingleNode()));
        } catch (MarkedYAMLException broken) {
            layer.noYaml(broken.getProblemMark().getLine(), Stream.of(broken.getContext(), broken.getProblem()));
        } catch (YAMLException broken) {
            layer.noYaml(0, String.valueOf(broken.getMessage()).lines());
        }
    }

    private void noYaml(int lineBefore, Stream<String> words) {
        String message = words.filter(Objects::nonNull).map(String::strip).collect(Collectors.joining(", "));
        draft.add(ConfigFault.in(new Origin.InFile(file, lineBefore + 1), "is not YAML: " + message));
    }

    private void document(Optional<Node> root) {
        if (root.isPresent() && root.get() instanceof MappingNode sections) {
            section("", sections);
        } else if (root.isPresent() && !isNothing(root.get())) {
            draft.add(
                    ConfigFault.in(at(root.get()), "the file must hold sections, such as " + ConfigKeys.children("")));
        }
    }

    private void section(String section, MappingNode members) {
        Map<String, Integer> seen = new HashMap<>();
        for (NodeTuple member : members.getValue()) {
            Origin.InFile at = at(member.getKeyNode());
            if (!(member.getKeyNode() instanceof ScalarNode key) || isAlias(key, members)) {
                draft.add(ConfigFault.in(at, "a list, a section or an alias stands where a key must be"));
                continue;
            }
            String path = ConfigKeys.join(section, key.getValue());
            Integer first = seen.putIfAbsent(path, at.line());
            if (first == null) {
                member(section, key.getValue(), member);
            } else {
                draft.add(ConfigFault.at(at, shown(path), "stands here a second time; the first is in line " + first));
            }
        }
    }

    private void member(String section, String name, NodeTuple member) {
        String path = ConfigKeys.join(section, name);
        Origin at = at(member.getKeyNode());
        Optional<ConfigKey> key = name.contains(".") ? Optional.empty() : ConfigKeys.find(path);
        if (key.isPresent()) {
            value(key.get(), member, at);
        } else if (name.contains(".") || !ConfigKeys.isSection(path)) {
            draft.add(ConfigFault.at(at, shown(path), "unknown key; " + ConfigKeys.suggestion(section, name)));
        } else if (member.getValueNode() instanceof MappingNode inner && !isAlias(inner, member.getKeyNode())) {
            section(path, inner);
        } else if (!isNothing(member.getValueNode())) {
            String rule = "; it must be a section with " + ConfigKeys.children(path);
            draft.add(ConfigFault.at(at, path, found(member) + rule));
        }
    }

    private void value(ConfigKey key, NodeTuple member, Origin at) {
        Node value = member.getValueNode();
        Optional<String> text = text(value, member.getKeyNode());
        Optional<String> separator = key.separator().filter(any -> !isAlias(value, member.getKeyNode()));
        if (text.isPresent()) {
            draft.set(key, text.get(), at);
        } else if (value instanceof SequenceNode list && separator.isPresent()) {
            list(key, list, at, separator.get());
        } else {
            noValue(key, at, found(member));
        }
    }

    /** A list stands for its entries with the separator between them. */
    private void list(ConfigKey key, SequenceNode list, Origin at, String separator) {
        List<String> entries = list.getValue().stream()
                .flatMap(entry -> text(entry, list).stream())
                .toList();
        if (entries.size() < list.getValue().size()) {
            noValue(key, at, "is a list with something else than texts in it");
        } else if (entries.stream().anyMatch(entry -> entry.isBlank() || entry.contains(separator))) {
            noValue(key, at, "has an entry that is empty or holds the separator " + separator);
        } else {
            draft.set(key, String.join(separator, entries), at);
        }
    }

    private void noValue(ConfigKey key, Origin at, String found) {
        draft.add(ConfigFault.at(at, key.path(), found + "; expected " + key.expected()));
    }

    /** The text of a scalar as it is written, whatever YAML would take it for. */
    private static Optional<String> text(Node node, Node before) {
        return node instanceof ScalarNode scalar && !isAlias(node, before) && !isNothing(node) && !isBinary(node)
                ? Optional.of(scalar.getValue())
                : Optional.empty();
    }

    private static String found(NodeTuple member) {
        Node value = member.getValueNode();
        if (isAlias(value, member.getKeyNode())) {
            return "is an alias";
        } else if (isNothing(value)) {
            return "has no value";
        } else if (value instanceof ScalarNode scalar) {
            return isBinary(value) ? "is binary" : "is " + Quoted.of(scalar.getValue());
        }
        return value instanceof MappingNode ? "is a section" : "is a list";
    }

    /** An alias is the node that it stands for, which begins before the key, or the list, at which the alias stands. */
    private static boolean isAlias(Node node, Node before) {
        return node.getStartMark().getIndex() < before.getStartMark().getIndex();
    }

    private static boolean isNothing(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    private static boolean isBinary(Node node) {
        return node.getTag().equals(Tag.BINARY);
    }

    private Origin.InFile at(Node node) {
        return new Origin.InFile(file, node.getStartMark().getLine() + 1);
    }

    /** The path, fit for a message whatever its author wrote. */
    private static String shown(String path) {
        boolean plain = path.chars().allMatch(c -> c > ' ' && c < 127) && path.length() <= 80;
        return plain ? path : Quoted.of(path);
    }
}
