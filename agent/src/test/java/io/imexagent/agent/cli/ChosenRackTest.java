package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.controller.ClusterReport.ReportedFabric;
import io.imexagent.controller.racks.RackReport;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.clique.NodeStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChosenRackTest {

    private final List<String> warnings = new ArrayList<>();

    @Test
    void aNameThatNoRackHasIsRefused() {
        ChosenRack rack = chosen(Optional.of("tray-9"));

        assertThatThrownBy(() -> rack.in(report("tray-1", "tray-2")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("RACK is no name, no clique and no node");
        assertThat(chosen(Optional.empty()).in(report("tray-1", "tray-2"))).contains(report("tray-1", "tray-2"));
        assertThat(chosen(Optional.of("tray-9")).in(report())).contains(report());
    }

    @Test
    void aWatchedRackMayBeGoneAndReturnWithOneWarning() {
        ChosenRack rack = chosen(Optional.of("tray-1"));

        assertThat(rack.in(report("tray-1", "tray-2")))
                .hasValueSatisfying(only -> assertThat(only.racks()).hasSize(1));
        assertThat(rack.in(report("tray-2"))).isEmpty();
        assertThat(rack.in(report("tray-2", "tray-3"))).isEmpty();
        assertThat(warnings).containsExactly("no rack is tray-1 at present; waits for it");
        assertThat(rack.in(report("tray-1", "tray-2"))).isPresent();
        assertThat(rack.in(report("tray-2"))).isEmpty();
        assertThat(warnings).hasSize(2);
    }

    private ChosenRack chosen(Optional<String> name) {
        return new ChosenRack(name, IllegalArgumentException::new, warnings::add);
    }

    /** A report with a rack of one node for each of these names. */
    private static RackReport report(String... nodes) {
        List<CliqueReport> cliques = IntStream.range(0, nodes.length)
                .mapToObj(at -> new CliqueReport(
                        new CliqueId("b4a1f0de-5b72-4e09-9d36-8f2b7a60e153." + (at + 1)),
                        List.of(new ReportedNode(
                                nodes[at], ReportedNodeState.READY, Optional.empty(), NodeStatus.NONE, List.of())),
                        OptionalInt.of(127),
                        List.of(),
                        List.of(),
                        List.of()))
                .toList();
        return RackReport.of(
                new ReportedFabric(Isolation.NONE, cliques, List.of(), Map.of(), Map.of()), Optional.empty());
    }
}
