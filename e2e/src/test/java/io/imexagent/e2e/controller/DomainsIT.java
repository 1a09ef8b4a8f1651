package io.imexagent.e2e.controller;

import static io.imexagent.e2e.controller.ControllerWorld.CLIQUE;
import static io.imexagent.e2e.controller.ControllerWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.controller.Controller;
import io.imexagent.controller.manifests.Manifests;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.core.policy.Isolation;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.FaultAction;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.LoggedRequest;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code imex-agent domains} and {@code cliques} as processes, with exactly the rights of the ClusterRole that the manifests have for it. */
class DomainsIT {

    private static final String NODE = "tray-1";

    @TempDir
    Path folder;

    private ControllerWorld world;

    @BeforeEach
    void open() throws IOException {
        List<RoleGrant> rights = new ArrayList<>(ControllerWorld.rights());
        var options = new ManifestOptions(
                true,
                Isolation.IMEX_CHANNEL,
                false,
                ControllerWorld.NAMESPACE,
                ControllerWorld.USER,
                false,
                false,
                false,
                false);
        rights.addAll(
                new BoundRules(Manifests.of(options)).ofClusterRole("imex-domains-viewer", ControllerWorld.VIEWER));
        world = new ControllerWorld(folder, rights);
        world.api.writeKubeconfig(folder.resolve("viewer.conf"), new Login.TokenLogin("viewer"));
    }

    @AfterEach
    void close() {
        world.close();
    }

    /** Two ComputeDomains, one with a channel that the node holds. */
    private void twoDomains() throws InterruptedException {
        world.create("red");
        world.create("blue");
        world.hold(NODE, CLIQUE, "red", 5);
        try (Controller controller = world.controller(Isolation.IMEX_CHANNEL)) {
            await(
                    "ready",
                    () -> world.ready("red")
                            && world.ready("blue")
                            && world.bound(CLIQUE).isPresent());
            assertThat(controller.leads()).isTrue();
        }
    }

    @Test
    void listsChannelsAndNodes() throws Exception {
        twoDomains();

        String table = command("domains", 0);
        JsonNode document = json(command("domains", 0, "-o", "json"));

        assertThat(table.lines().map(line -> line.replaceAll(" +", " ").strip()))
                .contains(
                        "NAMESPACE NAME STATUS TEMPLATE CLIQUE CHANNEL NODES WRONG",
                        "default red Ready red-channel " + CLIQUE + " 5 " + NODE,
                        "default blue Ready blue-channel");
        assertThat(document.at("/domains/1/channels/0/channel").asInt()).isEqualTo(5);
        assertThat(world.api.requests().answers()).doesNotContainKey(403);
    }

    @Test
    void listsCliquesWithTheirNodesAndWhatLostOnesHold() throws Exception {
        twoDomains();
        world.api.remove(ResourceType.NODES, "", NODE);

        String table = command("cliques", 0);
        JsonNode clique = json(command("cliques", 0, "-o", "json")).at("/cliques/0");

        assertThat(table.lines().map(line -> line.replaceAll(" +", " ").strip()))
                .contains(
                        CLIQUE + " 1 unknown:1 unknown:1 63 1 62",
                        CLIQUE + " 5 default/red bound " + NODE,
                        NODE + " Missing - " + CLIQUE + " 5 default/red");
        assertThat(clique.path("lostHolds").asInt()).isEqualTo(1);
        assertThat(clique.at("/bound/0/name").asText()).isEqualTo("red");
    }

    @Test
    void printsAndChecksTheFileOfNodesOfAClique() throws Exception {
        twoDomains();
        assertThat(command("nodes-file", 1, CLIQUE.text())).contains("reports a nodes_config.cfg");
        ObjectNode node =
                world.api.get(ResourceType.NVLINK_NODES, "", NODE).orElseThrow().deepCopy();
        node.withObject("/status/nodesFile")
                .put("digest", "0123456789abcdef0123456789abcdef")
                .put("count", 2)
                .put("own", 0)
                .put("lines", "10.0.0.1 10.0.0.2");
        world.api.apply(node);
        Path same = Files.writeString(folder.resolve("same.cfg"), "# ours\n10.0.0.1\n::ffff:10.0.0.2\n");
        Path other = Files.writeString(folder.resolve("other.cfg"), "10.0.0.1\n");

        assertThat(command("nodes-file", 1, CLIQUE.text()).lines())
                .contains(
                        "10.0.0.1",
                        "# 10.0.0.2 names no node of the clique; leave it out if that node is gone",
                        "10.0.0.2");
        assertThat(command("nodes-file", 0, CLIQUE.text(), "--check", same.toString()))
                .contains("as it should be");
        assertThat(command("nodes-file", 1, CLIQUE.text(), "--check", other.toString()))
                .contains("it lacks 10.0.0.2", "restart nvidia-imex once the node is drained");
        assertThat(command("nodes-file", 2, "no-clique")).contains("CLIQUE is none of this cluster");
        assertThat(command(
                        "nodes-file",
                        2,
                        CLIQUE.text(),
                        "--check",
                        folder.resolve("none").toString()))
                .contains("--check: there is no such file");
    }

    /** The pods of red wait: no Node has the label, then one other clique has room, then their own is full. */
    @Test
    void saysWhichPodsWaitForTheirCliqueAndWhy() throws Exception {
        twoDomains();
        pod("red-0", "red", NODE);
        pod("red-1", "red", "");

        assertThat(placed("domains", 0)).contains("pods wait: red-1; no Node has the label nvidia.com/gpu.clique");

        label(NODE, CLIQUE.text());
        assertThat(placed("domains", 0))
                .contains("pods wait: red-1; clique " + CLIQUE + ", where its other pods are, is full;"
                        + " no other has room for all 2; the scheduler says: 0/3 nodes are available: red-1");

        label("tray-21", "other.1");
        label("tray-22", "other.1");
        assertThat(placed("domains", 0))
                .contains("is full; clique other.1 has 2 nodes without a pod of a ComputeDomain: delete all its pods");

        pod("red-1", "red", "tray-21");
        assertThat(json(placed("domains", 0, "-o", "json"))
                        .at("/domains/1/wrong/0")
                        .asText())
                .startsWith("its pods are in 2 cliques")
                .contains("1 in " + CLIQUE, "1 in other.1");
    }

    private String placed(String name, int exitCode, String... options) throws IOException, InterruptedException {
        return commandWith(
                "{featureGates: {HostManagedIMEX: true}, imex: {isolation: IMEXChannel},"
                        + " placement: {clique: Required}}",
                name,
                exitCode,
                options);
    }

    /** A ready Node with the label by which the scheduler finds its clique. */
    private void label(String node, String clique) {
        ObjectNode object = Fixtures.node(node, Fixtures.uid(9_000 + node.hashCode() % 1_000));
        object.withObject("/metadata/labels").put("nvidia.com/gpu.clique", clique);
        object.withObject("/status")
                .putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True");
        world.api.apply(object);
    }

    /** A pod as the policy of placement changed it, of a ComputeDomain; without a node it waits. */
    private void pod(String name, String domain, String node) {
        ObjectNode pod = Json.literal("""
                {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default"},
                 "spec":{"containers":[{"name":"c","image":"i"}]},"status":{"phase":"Pending"}}""");
        pod.withObject("/metadata")
                .put("name", name)
                .withObject("labels")
                .put("imexagent.io/compute-domain", uid(domain));
        if (node.isEmpty()) {
            pod.withObject("/status")
                    .putArray("conditions")
                    .addObject()
                    .put("type", "PodScheduled")
                    .put("status", "False")
                    .put("message", "0/3 nodes are available: " + name);
        } else {
            pod.withObject("/spec").put("nodeName", node);
        }
        world.api.apply(pod);
    }

    private String uid(String domain) {
        return world.domain(domain).at("/metadata/uid").asText();
    }

    @Test
    void waitsOutAWatchThatFailsForAMoment() throws Exception {
        twoDomains();
        world.api.inject(LoggedRequest.of(RequestVerb.LIST, "computedomains"), FaultAction.answer(500), 1);
        world.api.inject(LoggedRequest.of(RequestVerb.LIST, "nvlinkcliques"), new FaultAction.Drop(), 1);

        assertThat(command("domains", 0)).contains("red", "blue");
    }

    @Test
    void namesAMissingRightAtOnce() throws Exception {
        world.api.revoke(ControllerWorld.VIEWER, ResourceType.NVLINK_CLIQUES);

        assertThat(command("domains", 1)).contains("nvlinkcliques").doesNotContain("\tat ");
    }

    @Test
    void namesAServerInTroubleSoon() throws Exception {
        world.api.inject(LoggedRequest.of(RequestVerb.LIST, "computedomains"), FaultAction.answer(503));

        assertThat(command("domains", 1).lines())
                .satisfiesExactly(
                        kubeconfig -> assertThat(kubeconfig).startsWith("imex-agent: uses kubeconfig "),
                        failure -> assertThat(failure).startsWith("imex-agent: cannot list ComputeDomains"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"domains", "cliques", "racks"})
    void namesAServerThatIsNotThere(String command) throws Exception {
        world.api.goAway();

        assertThat(command(command, 1).lines())
                .as("one line beside the kubeconfig's, and none of a library")
                .satisfiesExactly(
                        kubeconfig -> assertThat(kubeconfig).startsWith("imex-agent: uses kubeconfig "),
                        failure -> assertThat(failure)
                                .startsWith("imex-agent: cannot list ")
                                .contains("nothing listens there", world.api.url())
                                .doesNotContain("Exception"));
    }

    @Test
    void namesWhatStandsInNoListSinceItCannotBeRead() throws Exception {
        twoDomains();
        ObjectNode large = Fixtures.computeDomain("default", "large", Fixtures.uid(77), "large");
        ArrayNode finalizers = large.withArray("/metadata/finalizers");
        IntStream.range(0, 4_100).forEach(i -> finalizers.add("x".repeat(240) + "/" + "y".repeat(50) + i));
        world.api.apply(large);

        assertThat(command("domains", 0))
                .contains("red", "1 of computedomains", "stand in no list: default/large")
                .doesNotContain("default large");
    }

    /** A host that has neither agent nor controller knows the isolation only from the cluster. */
    @Test
    void judgesByTheClustersIsolationWhereItsOwnIsNotSet() throws Exception {
        twoDomains();

        String table = commandWith("{}", "domains", 0);

        assertThat(table).contains("red-channel").doesNotContain("has not brought it up to date");
    }

    private String command(String name, int exitCode, String... options) throws IOException, InterruptedException {
        return commandWith(
                "{featureGates: {HostManagedIMEX: true}, imex: {isolation: IMEXChannel}}", name, exitCode, options);
    }

    private String commandWith(String settings, String name, int exitCode, String... options)
            throws IOException, InterruptedException {
        ObjectNode values = (ObjectNode) new YAMLMapper().readTree(settings);
        values.putObject("controller")
                .put("kubeconfig", folder.resolve("viewer.conf").toString());
        Path config = Files.writeString(folder.resolve("viewer.yaml"), values.toString());
        AgentLaunch launch = AgentLaunch.command(name)
                .arguments("--config", config.toString())
                .arguments(options);
        try (AgentProcess command = launch.start()) {
            int actual = command.awaitExit();
            String output = String.join("\n", command.log());
            assertThat(actual).as(output).isEqualTo(exitCode);
            return output;
        }
    }

    private static JsonNode json(String output) throws IOException {
        return new ObjectMapper().readTree(output.substring(output.indexOf('{')));
    }
}
