package io.imexagent.controller.racks;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.core.inventory.CliqueId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names of racks: the label that more than half of a rack's nodes have; otherwise the prefix that more than half of
 * the names of its nodes have; otherwise its clique. No two racks have the same name.
 *
 * <p>Whoever may write a Node may write its labels, including its kubelet. Therefore one node cannot rename a rack of
 * three or more, and a value that the API server would refuse as a label does not count. If several racks have the same
 * label or prefix, the one with the most nodes has it; the others, and all where two have as many, have their clique,
 * after a label in parentheses, which labels cannot contain.
 */
final class RackNames {

    /**
     * The values of labels, as in {@code IsValidLabelValue} of the API server, without the empty one, which names
     * nothing.
     */
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");

    private static final Pattern SEPARATORS = Pattern.compile("[-._]+");
    private static final int SHORTEST = 2;

    /** What precedes the clique in a name. */
    private static final String OPEN = " (";

    private RackNames() {}

    /** Names racks with these nodes; {@code labels} are the values of their Nodes, by node name. */
    static Map<CliqueId, String> of(
            SortedMap<CliqueId, List<CliqueReport.ReportedNode>> racks, Map<String, String> labels) {
        Set<String> cliques = racks.keySet().stream().map(CliqueId::text).collect(Collectors.toSet());
        Map<CliqueId, String> labelled = new HashMap<>();
        Map<String, List<CliqueId>> wanted = new HashMap<>();
        racks.forEach((clique, trays) -> {
            Optional<String> label = label(trays, labels).filter(text -> !cliques.contains(text));
            label.ifPresent(text -> labelled.put(clique, text));
            label.or(() -> prefix(trays).filter(text -> !cliques.contains(text)))
                    .ifPresent(text -> wanted.computeIfAbsent(text, none -> new ArrayList<>())
                            .add(clique));
        });
        Map<CliqueId, String> names = new HashMap<>();
        wanted.forEach((name, sharing) -> largest(sharing, racks).ifPresent(clique -> names.put(clique, name)));
        racks.keySet()
                .forEach(clique -> names.computeIfAbsent(
                        clique,
                        unnamed -> labelled.containsKey(unnamed)
                                ? labelled.get(unnamed) + OPEN + unnamed.text() + ")"
                                : unnamed.text()));
        return names;
    }

    /** Whether a rack's name is this label with the clique in parentheses. */
    static boolean hasLabel(String name, String label) {
        return name.startsWith(label + OPEN);
    }

    /** The rack that has more nodes than each of the others. */
    private static Optional<CliqueId> largest(
            List<CliqueId> sharing, SortedMap<CliqueId, List<CliqueReport.ReportedNode>> racks) {
        ToIntFunction<CliqueId> size =
                clique -> racks.getOrDefault(clique, List.of()).size();
        int most = sharing.stream().mapToInt(size).max().orElse(0);
        List<CliqueId> largest = sharing.stream()
                .filter(clique -> size.applyAsInt(clique) == most)
                .toList();
        return largest.size() == 1 ? Optional.of(largest.getFirst()) : Optional.empty();
    }

    private static Optional<String> label(List<CliqueReport.ReportedNode> trays, Map<String, String> labels) {
        return ofMost(
                        trays,
                        trays.stream()
                                .map(tray -> labels.getOrDefault(tray.name(), ""))
                                .filter(label -> LABEL.matcher(label).matches()))
                .findFirst();
    }

    /**
     * The longest prefix that more than half of the names have, of those that end before a hyphen, dot or underscore;
     * the whole name of a single node.
     */
    private static Optional<String> prefix(List<CliqueReport.ReportedNode> trays) {
        Stream<String> names = trays.stream().map(CliqueReport.ReportedNode::name);
        return ofMost(trays, trays.size() == 1 ? names : names.flatMap(RackNames::prefixes))
                .filter(prefix ->
                        prefix.length() >= SHORTEST && LABEL.matcher(prefix).matches())
                .max(Comparator.comparingInt(String::length));
    }

    private static Stream<String> prefixes(String name) {
        return SEPARATORS.matcher(name).results().map(found -> name.substring(0, found.start()));
    }

    /** Those of these texts that more than half of the nodes have. */
    private static Stream<String> ofMost(List<CliqueReport.ReportedNode> trays, Stream<String> texts) {
        return texts.collect(Collectors.groupingBy(Function.identity(), Collectors.counting())).entrySet().stream()
                .filter(text -> 2 * text.getValue() > trays.size())
                .map(Map.Entry::getKey);
    }
}
