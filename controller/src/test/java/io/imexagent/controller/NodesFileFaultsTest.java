package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodesFile;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NodesFileComparison.FileFaultKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NodesFileFaultsTest {

    private static final CliqueId ONE = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1");
    private static final CliqueId OTHER = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.2");
    private static final List<String> BOTH = List.of("10.0.0.1", "10.0.0.2");

    private final NodesFileFaults faults = new NodesFileFaults();

    @Test
    void countsCliquesByKindOfFault() {
        Map<FileFaultKind, Long> counts = faults.count(List.of(
                clique(ONE, node(1, BOTH), node(2, BOTH.reversed())),
                clique(OTHER, node(1, List.of()), node(2, List.of()))));

        assertThat(counts)
                .hasSize(FileFaultKind.values().length)
                .containsEntry(FileFaultKind.FILES_DIFFER, 1L)
                .containsEntry(FileFaultKind.NO_FILE, 1L)
                .containsEntry(FileFaultKind.WRONG_LINE, 0L);
    }

    @Test
    void whateverChangesIsCountedAsIfForTheFirstTime() {
        var random = new Random(7);
        for (int round = 0; round < 200; round++) {
            List<CliqueReport> cliques = new ArrayList<>();
            for (CliqueId id : List.of(ONE, OTHER)) {
                List<ReportedNode> nodes = new ArrayList<>();
                for (int number = 1; number <= 1 + random.nextInt(2); number++) {
                    nodes.add(node(number, BOTH.subList(0, random.nextInt(3))));
                }
                cliques.add(clique(id, nodes.toArray(ReportedNode[]::new)));
            }
            List<CliqueReport> some = cliques.subList(random.nextInt(2), 2);

            assertThat(faults.count(some)).isEqualTo(new NodesFileFaults().count(some));
        }
    }

    private static CliqueReport clique(CliqueId id, ReportedNode... nodes) {
        return new CliqueReport(id, List.of(nodes), OptionalInt.empty(), List.of(), List.of(), List.of());
    }

    private static ReportedNode node(int number, List<String> lines) {
        var file = NodesFile.of(lines, NodeIdentity.of(List.of("10.0.0." + number)), false);
        return new ReportedNode(
                "tray-" + number,
                ReportedNodeState.READY,
                Optional.empty(),
                NodeStatus.NONE.with(Optional.of(file)),
                List.of());
    }
}
