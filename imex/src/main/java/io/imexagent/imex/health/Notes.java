package io.imexagent.imex.health;

import io.imexagent.imex.host.NodesFile;
import io.imexagent.imex.host.UnitState;
import io.imexagent.imex.report.DomainReport;
import java.util.ArrayList;
import java.util.List;

/** What the host's files say beside the verdict. */
final class Notes {

    private Notes() {}

    static List<String> of(ImexReading reading) {
        if (!reading.installed()) {
            return List.of();
        }
        var notes = new ArrayList<String>();
        reading.configuration()
                .ifPresent(configuration -> configuration
                        .faults()
                        .forEach(fault -> notes.add("config.cfg of nvidia-imex: " + fault + "; correct it, then restart"
                                + " nvidia-imex")));
        reading.nodes().ifPresent(nodes -> nodes(nodes, reading.domain(), notes));
        if (reading.unit() instanceof UnitState.Unknown(String reason)) {
            notes.add("the unit's state is not known: " + reason);
        }
        return notes;
    }

    private static void nodes(NodesFile file, QueryResult<DomainReport> domain, List<String> notes) {
        if (file.nodes().isEmpty()) {
            notes.add(
                    "nodes_config.cfg names no node; write one address on each line, the same file on every node, then"
                            + " restart nvidia-imex");
        }
        if (!file.repeated().isEmpty()) {
            notes.add("nodes_config.cfg names more than once: " + String.join(", ", file.repeated())
                    + "; remove the repetition on every node, then restart nvidia-imex");
        }
        domain.told()
                .filter(report -> report.nodes().size() != file.nodes().size())
                .ifPresent(report -> notes.add("nodes_config.cfg names "
                        + file.nodes().size()
                        + " nodes and the daemon knows " + report.nodes().size()
                        + ": the file was changed after the daemon's start; restart nvidia-imex once the node is"
                        + " drained"));
    }
}
