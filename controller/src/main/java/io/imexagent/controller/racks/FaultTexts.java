package io.imexagent.controller.racks;

import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import io.imexagent.core.text.NameList;
import java.util.List;

/** Formats nodes and numbers in the texts of faults. */
final class FaultTexts {

    static final int MOST_NAMES = 4;

    private FaultTexts() {}

    static String count(int number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }

    static String some(List<String> names) {
        return NameList.some(names, MOST_NAMES);
    }

    static List<String> names(List<ReportedNode> trays, List<Integer> nodes) {
        return nodes.stream().map(node -> trays.get(node).name()).toList();
    }

    /** The name of a single node, or the number of nodes and their names. */
    static String nodes(List<String> names) {
        return names.size() == 1 ? names.getFirst() : names.size() + " nodes (" + some(names) + ")";
    }

    /** The name of a single node, or the number of nodes and their names, followed by the verb in this number. */
    static String nodesDo(List<String> names, String one, String many) {
        return nodes(names) + " " + (names.size() == 1 ? one : many);
    }

    static String health(List<String> names) {
        return "run 'imex-agent health' on " + some(names);
    }
}
