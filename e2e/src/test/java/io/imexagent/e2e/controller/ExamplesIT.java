package io.imexagent.e2e.controller;

import static io.imexagent.e2e.controller.ControllerWorld.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.marcnuri.helm.Helm;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.controller.manifests.Manifests;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.core.policy.Isolation;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.e2e.scheduler.SchedulerDouble;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The examples, applied: their ComputeDomains become ready, and make the templates that their pods name; what must fail does
 * so in the words that stand in its file; the overlays of the cloud are rendered.
 */
@ExtendWith(Worlds.class)
class ExamplesIT {

    private static final Path EXAMPLES = Checkout.find().root().resolve("packaging/kubernetes/examples");

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "smoke.yaml, NONE, 1",
        "smoke.yaml, IMEX_CHANNEL, 1",
        "two-trays.yaml, NONE, 1",
        "two-trays.yaml, IMEX_CHANNEL, 1",
        "two-domains.yaml, IMEX_CHANNEL, 2",
        "several-pods.yaml, IMEX_CHANNEL, 1",
        "jobset.yaml, IMEX_CHANNEL, 1",
        "kueue.yaml, IMEX_CHANNEL, 1"
    })
    void domainsBecomeReadyAndMakeTheTemplatesOfTheirPods(String file, Isolation isolation, int domains)
            throws IOException, InterruptedException {
        try (var world = new ControllerWorld(folder)) {
            List<JsonNode> objects = documents(Files.readString(EXAMPLES.resolve(file)));
            objects.stream().filter(ExamplesIT::known).forEach(world.api::apply);
            world.controller(isolation);
            await("ready", () -> ready(world).size() == domains);

            Set<String> made = world.api.list(ResourceType.RESOURCE_CLAIM_TEMPLATES).stream()
                    .map(template -> template.path("metadata").path("name").asText())
                    .collect(Collectors.toSet());
            Set<String> named = objects.stream()
                    .flatMap(object -> object.findValuesAsText("resourceClaimTemplateName").stream())
                    .collect(Collectors.toSet());
            assertThat(made).isEqualTo(named).hasSize(domains);
        }
    }

    /** Whether the API server double has the kind. */
    private static boolean known(JsonNode object) {
        return ResourceType.ofKind(
                        object.path("apiVersion").asText(), object.path("kind").asText())
                .isPresent();
    }

    private static List<? extends JsonNode> ready(ControllerWorld world) {
        return world.api.list(ResourceType.COMPUTE_DOMAINS).stream()
                .filter(domain -> domain.path("status").path("status").asText().equals("Ready"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "two-trays.yaml, Job, /spec/template/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/topologyKey",
        "jobset.yaml, JobSet, /metadata/annotations/alpha.jobset.sigs.k8s.io~1exclusive-topology",
        "kueue.yaml, Topology, /spec/levels/0/nodeLabel",
        "kueue.yaml, Job, /spec/template/metadata/annotations/kueue.x-k8s.io~1podset-required-topology"
    })
    void schedulersGoByTheLabelThatAgentsSet(String file, String kind, String pointer) throws IOException {
        JsonNode object = object(documents(Files.readString(EXAMPLES.resolve(file))), kind);

        assertThat(object.at(pointer).asText()).isEqualTo(DriverNames.CLIQUE_LABEL);
    }

    @Test
    void theQuotaOfKueueCountsBothClassesOfChannels() throws IOException {
        assertThat(firstLines("kueue.yaml")).contains(DriverNames.DEFAULT_CLASS, DriverNames.CHANNEL_CLASS);
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

    @Test
    void theNegativeExampleIsRefusedByTheAgentAsItsFirstLinesSay(World world) throws Exception {
        world.api().apply(EXAMPLES.resolve("negative-all.yaml"));
        AgentProcess agent = world.startServing();
        var scheduler = new SchedulerDouble(world.api());
        agent.awaitTrue("the pod to be bound", () -> scheduler.pass().isEmpty());
        JsonNode pod =
                world.api().get(ResourceType.PODS, "default", "imex-negative").orElseThrow();
        String name = SchedulerDouble.claims(pod).getFirst();
        String uid = world.api()
                .get(ResourceType.RESOURCE_CLAIMS, "default", name)
                .orElseThrow()
                .at("/metadata/uid")
                .asText();

        String refusal = World.refusal(world.kubelet().prepare(new KubeletClaimRequest("default", name, uid)));

        assertThat(firstLines("negative-all.yaml")).contains(refusal.substring(refusal.indexOf("allocationMode")));
        assertThat(world.host().cdiFiles()).isEmpty();
        assertThat(world.checkpoint()).doesNotContain(uid);
    }

    @Test
    void withTheAdmissionPoliciesTheNegativeTemplateIsRefusedAsItsFirstLinesSay(World world) throws Exception {
        var options = new ManifestOptions(
                true, Isolation.NONE, true, "imex-agent", "imex-controller", false, false, false, false);
        documents(Manifests.of(options)).forEach(world.api()::apply);
        world.api().admit(new StoredPolicies(world.api()));
        ObjectNode template = (ObjectNode) documents(Files.readString(EXAMPLES.resolve("negative-all.yaml")))
                .getFirst();

        assertThatThrownBy(() -> world.api().create(template))
                .isInstanceOf(StatusException.class)
                .satisfies(refused -> {
                    String message = String.valueOf(refused.getMessage());
                    assertThat(firstLines("negative-all.yaml"))
                            .contains(message.substring(message.indexOf("allocationMode")));
                });
    }

    /** The comment at the top of an example, as one line. */
    private static String firstLines(String example) throws IOException {
        return Files.readString(EXAMPLES.resolve(example))
                .lines()
                .takeWhile(line -> line.startsWith("#"))
                .map(line -> line.substring(1).strip())
                .collect(Collectors.joining(" "));
    }

    private static List<JsonNode> documents(String yaml) throws IOException {
        return new YAMLMapper()
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(yaml)
                .readAll();
    }

    @Test
    void thePodsOfTheCloudArePinnedToArm64TolerateSkyhookAndFindTheDriver() throws IOException, InterruptedException {
        Path cloud = EXAMPLES.resolve("gb200-cloud");
        List<JsonNode> objects = documents(new Helm(EXAMPLES.resolve("../chart"))
                .template()
                .withName("imex-agent")
                .withKubeVersion("1.36.0")
                .withValuesFile(cloud.resolve("values.yaml"))
                .withValuesFile(cloud.resolve("pods.yaml"))
                .call());
        JsonNode controller = object(objects, "Deployment").at("/spec/template/spec");
        JsonNode agent = object(objects, "DaemonSet").at("/spec/template/spec");

        assertThat(controller.at("/nodeSelector/kubernetes.io~1arch").asText()).isEqualTo("arm64");
        assertThat(agent.at("/nodeSelector/kubernetes.io~1arch").asText()).isEqualTo("arm64");
        assertThat(controller.at("/tolerations/0/key").asText()).isEqualTo("skyhook.nvidia.com");
        assertThat(agent.at("/tolerations/0/operator").asText())
                .as("of all taints")
                .isEqualTo("Exists");
        assertThat(objects.stream()
                        .filter(object -> object.path("kind").asText().equals("ConfigMap")
                                && object.at("/metadata/name").asText().equals("imex-agent"))
                        .map(object -> object.at("/data/config.yaml").asText()))
                .singleElement()
                .asString()
                .containsPattern("driverRoot: \"?/run/nvidia/driver");
        try (var world = new ControllerWorld(folder)) {
            objects.stream().filter(ExamplesIT::known).forEach(world.api::apply);
            world.controller(Isolation.IMEX_CHANNEL);
            world.api.apply(EXAMPLES.resolve("smoke.yaml"));
            await("ready", () -> ready(world).size() == 1);
        }
    }

    private static JsonNode object(List<JsonNode> objects, String kind) {
        return objects.stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theRunbookOfTheCloudNamesEachOfItsFiles() throws IOException {
        Path cloud = EXAMPLES.resolve("gb200-cloud");
        String runbook = Files.readString(cloud.resolve("README.md"));
        try (Stream<Path> files = Files.list(cloud)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("README.md")))
                    .isNotEmpty()
                    .allMatch(name -> runbook.contains("`" + name + "`"));
        }
    }

    @Test
    void aComputeDomainOfSeveralNodesIsReadyWithoutWaitingForThem() throws IOException, InterruptedException {
        try (var world = new ControllerWorld(folder)) {
            world.create("train");
            world.api.edit(
                    ResourceType.COMPUTE_DOMAINS,
                    "default",
                    "train",
                    domain -> domain.withObject("/spec").put("numNodes", 5));
            world.controller(Isolation.NONE);

            await("ready", () -> world.ready("train"));

            assertThat(world.domain("train").at("/spec/numNodes").asInt()).isEqualTo(5);
            assertThat(world.domain("train").at("/status/nodes")).isEmpty();
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
        assertThat(cloud(file)).isInstanceOf(LoadResult.LoadedConfig.class);
    }

    @Test
    void agentsControllersAndTheChartOfTheCloudTakeTheSameGatesIsolationAndChannels() throws IOException {
        AgentConfig agent = ((LoadResult.LoadedConfig<AgentConfig>) cloud("agent.yaml")).effective();
        AgentConfig controller = ((LoadResult.LoadedConfig<AgentConfig>) cloud("controller.yaml")).effective();
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
