package io.imexagent.controller.racks;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.NodeStatus;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RackNamesTest {

    private final SortedMap<CliqueId, List<CliqueReport.ReportedNode>> racks = new TreeMap<>();
    private final Map<String, String> labels = new HashMap<>();

    @Test
    void theLabelOfMostNodesNamesARack() {
        rack(1, "gpu-1", "gpu-2", "gpu-3");
        label("row7.rack-3", "gpu-1", "gpu-2");
        label("stolen", "gpu-3");

        assertThat(name(1)).isEqualTo("row7.rack-3");
    }

    @Test
    void halfOfTheNodesNameNoRack() {
        rack(1, "rowa-1", "rowa-2", "rowa-3", "rowa-4");
        label("one", "rowa-1", "rowa-2");
        label("other", "rowa-3", "rowa-4");

        assertThat(name(1)).isEqualTo("rowa");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<script>alert(1)</script>",
                "rack 7",
                "rack-7 (healthy)",
                "-rack",
                "rack\u202e7",
                "r\u00e4ck",
                "",
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                "c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.2"
            })
    void whatIsNoLabelOrIsAnotherRacksCliqueNamesNoRack(String label) {
        rack(1, "tray-a1", "tray-a2");
        rack(2, "tray-b1", "tray-b2");
        label(label, "tray-a1", "tray-a2");

        assertThat(name(1)).isEqualTo(clique(1).text());
    }

    @Test
    void aLabelAsLongAsTheApiServerAllowsNamesARack() {
        rack(1, "tray-1");
        label("x".repeat(63), "tray-1");

        assertThat(name(1)).isEqualTo("x".repeat(63));
    }

    @Test
    void racksOfOneLabelAreToldApartByTheirCliques() {
        rack(1, "a-1");
        rack(2, "b-1");
        label("row7", "a-1", "b-1");

        assertThat(name(1)).isEqualTo("row7 (" + clique(1) + ")");
        assertThat(name(2)).isEqualTo("row7 (" + clique(2) + ")");
    }

    @Test
    void oneNodeInACliqueOfItsOwnTakesNoNameFromARackOfSeveral() {
        rack(1, "rack07-tray-01", "rack07-tray-02");
        rack(2, "a-1", "a-2");
        rack(3, "rack07-tray");
        rack(4, "thief");
        rack(5, "other");
        label("A07", "a-1", "a-2", "thief");
        label("rack07-tray", "other");

        assertThat(name(1)).isEqualTo("rack07-tray");
        assertThat(name(2)).isEqualTo("A07");
        assertThat(name(3)).isEqualTo(clique(3).text());
        assertThat(name(4)).isEqualTo("A07 (" + clique(4) + ")");
        assertThat(name(5)).isEqualTo("rack07-tray (" + clique(5) + ")");
    }

    @Test
    void oneNodeWithAnotherPrefixDoesNotRenameARack() {
        rack(1, "rack07-tray-01", "rack07-tray-03", "rack03-tray-02");
        rack(2, "row-b-1", "row-b-2", "row-a-1", "row-a-2");

        assertThat(name(1)).isEqualTo("rack07-tray");
        assertThat(name(2)).isEqualTo("row");
    }

    @Test
    void withoutALabelARackIsCalledByWhatItsNodesBeginWith() {
        rack(1, "rack01-tray-01", "rack01-tray-02");
        rack(2, "rack02-tray-01", "rack02-tray-11");
        rack(3, "gpu3.example");

        assertThat(name(1)).isEqualTo("rack01-tray");
        assertThat(name(2)).isEqualTo("rack02-tray");
        assertThat(name(3)).isEqualTo("gpu3.example");
    }

    @Test
    void aBeginningThatNamesSeveralRacksOrNoneNamesNone() {
        rack(1, "node-1", "node-2");
        rack(2, "node-3", "node-4");
        rack(3, "left", "right");
        rack(4, "row9-1", "row9-2");
        rack(5, "other-1", "else-2");
        label("row9", "other-1", "else-2");

        for (int rack = 1; rack <= 4; rack++) {
            assertThat(name(rack)).isEqualTo(clique(rack).text());
        }
        assertThat(name(5)).isEqualTo("row9 (" + clique(5) + ")");
    }

    @Test
    void noTwoRacksHaveOneNameWhateverTheLabels() {
        List<String> values = List.of("row7", "a", "b", clique(2).text(), "row7 (" + clique(1) + ")", "");
        for (int seed = 0; seed < 500; seed++) {
            racks.clear();
            labels.clear();
            for (int rack = 1; rack <= 4; rack++) {
                String begin = List.of("a", "b", "row7").get((seed + rack) % 3);
                rack(rack, begin + "-" + rack + "1", begin + "-" + rack + "2");
                label(values.get(Math.floorMod(seed * 31 + rack * 7, values.size())), begin + "-" + rack + "1");
                label(values.get(Math.floorMod(seed / 5 + rack * 11, values.size())), begin + "-" + rack + "2");
            }

            Map<CliqueId, String> names = RackNames.of(racks, labels);

            assertThat(names).hasSize(4);
            assertThat(new HashSet<>(names.values())).hasSize(4);
        }
    }

    private void rack(int number, String... nodes) {
        racks.put(
                clique(number),
                IntStream.range(0, nodes.length)
                        .mapToObj(node -> new CliqueReport.ReportedNode(
                                nodes[node], ReportedNodeState.READY, Optional.empty(), NodeStatus.NONE, List.of()))
                        .toList());
    }

    private void label(String value, String... nodes) {
        for (String node : nodes) {
            labels.put(node, value);
        }
    }

    private String name(int number) {
        return RackNames.of(racks, labels).getOrDefault(clique(number), "none");
    }

    private static CliqueId clique(int number) {
        return new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153." + number);
    }
}
