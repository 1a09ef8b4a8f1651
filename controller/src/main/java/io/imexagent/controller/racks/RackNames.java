package io.imexagent.controller.racks;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.core.inventory.CliqueId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names of racks: the label that more than half of a rack's nodes have; otherwise the common prefix of the names of
 * its nodes, unless another rack has the same; otherwise its clique. No two racks have the same name.
 *
 * <p>Whoever may write a Node may write its labels, including its kubelet. Therefore one node cannot rename a rack of
 * several, and a value that the API server would refuse as a label does not count. If several racks have the same
 * label, the clique follows in parentheses, which labels cannot contain.
 */
final class RackNames {

    /**
     * The values of labels, as in {@code IsValidLabelValue} of the API server, without the empty one, which names
     * nothing.
     */
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");

    private static final Pattern SEPARATORS = Pattern.compile("[-._]");
    private static final int SHORTEST = 2;

    private RackNames() {}

    /** Names racks with these nodes; {@code labels} are the values of their Nodes, by node name. */
    static Map<CliqueId, String> of(
            SortedMap<CliqueId, List<CliqueReport.ReportedNode>> racks, Map<String, String> labels) {
        Map<CliqueId, String> names = new HashMap<>();
        Set<String> cliques = racks.keySet().stream().map(CliqueId::text).collect(Collectors.toSet());
        racks.forEach((clique, trays) -> label(trays, labels)
                .filter(label -> !cliques.contains(label))
                .ifPresent(label -> names.put(clique, label)));
        Map<String, Long> labelled = counts(names.values().stream());
        names.replaceAll(
                (clique, name) -> labelled.getOrDefault(name, 0L) > 1 ? name + " (" + clique.text() + ")" : name);
        Map<CliqueId, String> prefixes = new TreeMap<>();
        racks.forEach((clique, trays) -> prefix(trays).ifPresent(prefix -> prefixes.put(clique, prefix)));
        Map<String, Long> begun = counts(prefixes.values().stream());
        racks.keySet()
                .forEach(clique -> names.computeIfAbsent(
                        clique,
                        unnamed -> Optional.ofNullable(prefixes.get(unnamed))
                                .filter(prefix -> begun.getOrDefault(prefix, 0L) == 1
                                        && !labelled.containsKey(prefix)
                                        && !cliques.contains(prefix))
                                .orElse(unnamed.text())));
        return names;
    }

    private static Map<String, Long> counts(Stream<String> names) {
        return names.collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    private static Optional<String> label(List<CliqueReport.ReportedNode> trays, Map<String, String> labels) {
        return counts(trays.stream()
                        .map(tray -> labels.getOrDefault(tray.name(), ""))
                        .filter(label -> LABEL.matcher(label).matches()))
                .entrySet()
                .stream()
                .filter(label -> 2 * label.getValue() > trays.size())
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** The common prefix of all names, up to the last hyphen, dot or underscore; the whole name of a single node. */
    private static Optional<String> prefix(List<CliqueReport.ReportedNode> trays) {
        return trays.stream()
                .map(CliqueReport.ReportedNode::name)
                .reduce(RackNames::shared)
                .map(shared -> trays.size() == 1 ? shared : upToSeparator(shared))
                .filter(prefix ->
                        prefix.length() >= SHORTEST && LABEL.matcher(prefix).matches());
    }

    private static String shared(String one, String other) {
        int at = 0;
        while (at < Math.min(one.length(), other.length()) && one.charAt(at) == other.charAt(at)) {
            at++;
        }
        return one.substring(0, at);
    }

    private static String upToSeparator(String text) {
        int end = text.length();
        while (end > 0 && !SEPARATORS.matcher(text.substring(end - 1, end)).matches()) {
            end--;
        }
        while (end > 0 && SEPARATORS.matcher(text.substring(end - 1, end)).matches()) {
            end--;
        }
        return text.substring(0, end);
    }
}
