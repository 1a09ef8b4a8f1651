package io.imexagent.e2e.controller;

import static io.imexagent.e2e.controller.ControllerWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.core.policy.Isolation;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples, applied: their ComputeDomains become ready, and make the templates that their pods name. */
class ExamplesIT {

    private static final Path EXAMPLES =
            Path.of(System.getProperty("basedir", "."), "..", "packaging", "kubernetes", "examples");

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "smoke.yaml, NONE, 1",
        "smoke.yaml, IMEX_CHANNEL, 1",
        "two-domains.yaml, IMEX_CHANNEL, 2",
        "several-pods.yaml, IMEX_CHANNEL, 1"
    })
    void domainsBecomeReadyAndMakeTheTemplatesOfTheirPods(String file, Isolation isolation, int domains)
            throws IOException, InterruptedException {
        try (var world = new ControllerWorld(folder)) {
            world.api.apply(EXAMPLES.resolve(file));
            world.controller(isolation);
            await("ready", () -> ready(world).size() == domains);

            Set<String> made = world.api.list(ResourceType.RESOURCE_CLAIM_TEMPLATES).stream()
                    .map(template -> template.path("metadata").path("name").asText())
                    .collect(Collectors.toSet());
            Set<String> named = world.api.list(ResourceType.PODS).stream()
                    .map(pod -> pod.at("/spec/resourceClaims/0/resourceClaimTemplateName")
                            .asText())
                    .collect(Collectors.toSet());
            assertThat(made).isEqualTo(named).hasSize(domains);
        }
    }

    private static List<? extends JsonNode> ready(ControllerWorld world) {
        return world.api.list(ResourceType.COMPUTE_DOMAINS).stream()
                .filter(domain -> domain.path("status").path("status").asText().equals("Ready"))
                .toList();
    }

    @Test
    void aTemplateOfUsersIsLeftAlone() throws IOException, InterruptedException {
        try (var world = new ControllerWorld(folder)) {
            world.api.apply(EXAMPLES.resolve("negative-all.yaml"));
            world.create("train");
            world.controller(Isolation.NONE);
            await("ready", () -> world.ready("train"));

            assertThat(world.api.get(ResourceType.RESOURCE_CLAIM_TEMPLATES, "default", "imex-negative-channel"))
                    .hasValueSatisfying(template ->
                            assertThat(template.path("metadata").has("labels")).isFalse());
        }
    }

    private static LoadResult<AgentConfig> cloud(String file) {
        Path nowhere = Path.of("/nowhere");
        var loader = new ConfigLoader(Map.of("IMEX_AGENT_NODE_NAME", "host-1"), nowhere);
        return loader.load(
                new ConfigSources(Optional.of(EXAMPLES.resolve("gb200-cloud").resolve(file)), Map.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent.yaml", "controller.yaml"})
    void theConfigurationsOfTheCloudAreFreeOfFaults(String file) {
        assertThat(cloud(file)).isInstanceOf(LoadResult.Loaded.class);
    }

    @Test
    void agentsControllersAndTheChartOfTheCloudTakeTheSameGatesIsolationAndChannels() throws IOException {
        AgentConfig agent = ((LoadResult.Loaded<AgentConfig>) cloud("agent.yaml")).effective();
        AgentConfig controller = ((LoadResult.Loaded<AgentConfig>) cloud("controller.yaml")).effective();
        JsonNode chart = new YAMLMapper()
                .readTree(EXAMPLES.resolve("gb200-cloud").resolve("values.yaml").toFile());

        assertThat(controller.featureGates()).isEqualTo(agent.featureGates());
        assertThat(controller.imex().isolation()).isEqualTo(agent.imex().isolation());
        assertThat(controller.imex().channels()).isEqualTo(agent.imex().channels());
        assertThat(chart.path("featureGates").path("HostManagedIMEX").asText())
                .isEqualTo(Boolean.toString(agent.featureGates().hostManagedImex()));
        assertThat(agent.imex().isolation().map(Isolation::text))
                .contains(chart.path("imex").path("isolation").asText());
        assertThat(chart.path("imex").has("channels"))
                .as("the chart has no such value: the manifests do not depend on it")
                .isFalse();
    }
}
