package io.imexagent.imex.query;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The addresses in {@code nodes_config.cfg}, one a line, the same file on every node; the line is the node's index. */
public record NodesFile(List<String> nodes) {

    /** Copies the list in. */
    public NodesFile {
        nodes = List.copyOf(nodes);
    }

    /** The nodes in the text; blank lines and comments after {@code #} are none. Never throws. */
    public static NodesFile parse(String text) {
        return new NodesFile(text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(Printable::line)
                .toList());
    }

    /** Addresses that stand there more than once. */
    public Set<String> repeated() {
        Set<String> seen = new LinkedHashSet<>();
        Set<String> repeated = new LinkedHashSet<>();
        nodes.stream().filter(node -> !seen.add(node)).forEach(repeated::add);
        return repeated;
    }
}
