package io.imexagent.e2e.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code imex-agent racks} as a process, beside the page of a controller. */
class RacksCommandIT {

    @TempDir
    private Path folder;

    @Test
    void printsAsATableAndAsTheDocumentOfThePage() throws Exception {
        try (var world = new PageWorld(folder, racks -> {
            racks.add(0, 2);
            racks.fail(0, 3);
        })) {
            List<String> table = racks(world).log();
            String json = String.join("\n", racks(world, "-o", "json").log());
            JsonNode page = await(world);

            assertThat(table)
                    .anyMatch(line -> line.contains("nvidia-imex is \"failed\" on rack000-tray-04;"
                            + " and 17 connections lost, 17 nodes degraded"))
                    .anyMatch(line -> line.matches(
                            ".*rack000-tray-01 +Ready +4 +580\\.95\\.05 +degraded +\\S+" + " +-CCLCCCCCCCCCCCCCC"))
                    .anyMatch(line -> line.matches(".* 1 +team-a/training-0-0 +bound +rack000-tray-01,.*"));
            assertThat(undated(Json.literal(json.substring(json.indexOf('{'))))).isEqualTo(undated(page));
            assertThat(page.path("version").asInt()).isEqualTo(3);
        }
    }

    @Test
    void findsTheSickNodesAmongRacks() throws Exception {
        try (var world = new PageWorld(folder, racks -> {
            for (int rack = 0; rack < 40; rack++) {
                racks.add(rack, 1);
            }
            for (int rack = 0; rack < 30; rack += 2) {
                racks.fail(rack, rack % ShownRacks.NODES);
            }
        })) {
            List<String> causes = results(racks(world, "--alerts"));

            assertThat(causes).hasSize(16).first().asString().startsWith("RACK");
            assertThat(causes)
                    .filteredOn(
                            line -> line.matches(".* critical .* nvidia-imex is \"failed\" on rack0\\d\\d-tray-\\d\\d;"
                                    + " and 17 connections lost, 17 nodes degraded"))
                    .hasSize(15);
            assertThat(racks(world, "rack004-tray-01").log())
                    .anyMatch(line -> line.contains("on rack004-tray-05;"))
                    .anyMatch(line -> line.contains("step: run 'imex-agent health' on rack004-tray-05"))
                    .noneMatch(line -> line.contains("rack006"));
            assertThat(results(racks(world, "--alerts", ShownRacks.clique(1)))).containsExactly("nothing is wrong");
            assertThatThrownBy(() -> racks(world, "tray-of-no-rack"))
                    .hasMessageContaining("ended with exit code 2")
                    .hasMessageContaining("RACK is no name");
        }
    }

    @Test
    void printsAgainWhatHasChanged() throws Exception {
        try (var world = new PageWorld(folder, racks -> racks.add(0, 1));
                AgentProcess watching = AgentLaunch.command(
                                "racks", "--watch", "--config", world.config().toString())
                        .start()) {
            watching.awaitLine("-CCCCCCCCCCCCCCCCC");

            world.racks().fail(0, 2);
            watching.awaitLine(
                    "nvidia-imex is \"failed\" on rack000-tray-03; and 17 connections lost, 17 nodes degraded");

            world.api().goAway();
            watching.awaitLine("this may be old: ");
            assertThat(watching.isAlive()).isTrue();
        }
    }

    /** What it printed, without the line that names the kubeconfig. */
    private static List<String> results(AgentProcess ended) {
        return ended.log().stream()
                .filter(line -> !line.startsWith("imex-agent: uses "))
                .toList();
    }

    private static AgentProcess racks(PageWorld world, String... options) throws IOException, InterruptedException {
        return AgentLaunch.command("racks", "--config", world.config().toString())
                .arguments(options)
                .runToEnd();
    }

    /** The document without the time at which it was made. */
    private static JsonNode undated(JsonNode document) {
        return document.<ObjectNode>deepCopy().without("at");
    }

    /** The document as soon as the controller has listed everything, the Nodes too. */
    private static JsonNode await(PageWorld world) throws InterruptedException {
        return world.controller()
                .await(
                        "the racks with their nodes",
                        () -> Optional.of(world.client().page("/racks.json"))
                                .filter(answer -> answer.statusCode() == 200
                                        && answer.body().contains("\"Ready\""))
                                .map(answer -> Json.literal(answer.body())));
    }
}
