package io.imexagent.e2e.controller;

import static io.imexagent.e2e.controller.ControllerWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.controller.Controller;
import io.imexagent.controller.manifests.ManifestOptions;
import io.imexagent.controller.manifests.Manifests;
import io.imexagent.core.policy.Isolation;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.FaultAction;
import io.imexagent.testing.api.FaultMatch;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.Grant;
import io.imexagent.testing.api.access.Verb;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code imex-agent domains} as a process, with exactly the rights of the ClusterRole that the manifests have for it. */
class DomainsIT {

    private static final String NODE = "tray-1";
    private static final String NODE_UID = Fixtures.uid(9000);

    @TempDir
    Path folder;

    private ControllerWorld world;

    @BeforeEach
    void open() throws IOException {
        List<Grant> rights = new ArrayList<>(ControllerWorld.rights());
        var options = new ManifestOptions(
                true, Isolation.IMEX_CHANNEL, false, ControllerWorld.NAMESPACE, ControllerWorld.USER);
        rights.addAll(
                new BoundRules(Manifests.of(options)).ofClusterRole("imex-domains-viewer", ControllerWorld.VIEWER));
        world = new ControllerWorld(folder, rights);
        world.api.writeKubeconfig(folder.resolve("viewer.conf"), new Login.Token("viewer"));
    }

    @AfterEach
    void close() {
        world.close();
    }

    /** Two ComputeDomains with channels, each with a claim on the node, which publishes channel 1 only. */
    private void twoDomains() throws InterruptedException {
        world.create("red");
        try (Controller first = world.controller(Isolation.IMEX_CHANNEL)) {
            await("red", () -> world.ready("red"));
            world.create("blue");
            await("blue", () -> world.ready("blue") && first.idle());
        }
        world.api.apply(Fixtures.node(NODE, NODE_UID));
        ObjectNode slice = Fixtures.resourceSlice(NODE, NODE_UID);
        ((ObjectNode) slice.at("/spec/devices/0")).put("name", "channel-1");
        world.api.apply(slice);
        claim("red", 1);
        claim("blue", 2);
    }

    private void claim(String domain, int channel) {
        ObjectNode pod = Fixtures.pod("default", domain, Fixtures.uid(100 + channel), NODE, domain + "-claim");
        ObjectNode claim = Fixtures.allocatedClaim(
                "default",
                domain + "-claim",
                Fixtures.uid(200 + channel),
                NODE,
                world.domain(domain).path("metadata").path("uid").asText(),
                pod);
        ((ObjectNode) claim.at("/status/allocation/devices/results/0")).put("device", "channel-" + channel);
        world.api.apply(claim);
    }

    @Test
    void listsChannelsNodesAndWhatIsWrong() throws Exception {
        twoDomains();

        String table = domains(0);
        JsonNode document = json(domains(0, "-o", "json"));

        assertThat(table.lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "NAMESPACE NAME STATUS CHANNEL TEMPLATE CLAIMS NODES WRONG",
                        "default red Ready 1 red-channel 1 tray-1")
                .anyMatch(line ->
                        line.startsWith("default blue Ready 2 blue-channel 1 tray-1 node tray-1 does not publish"
                                + " channel 2, which claim default/blue-claim has"));
        assertThat(table).doesNotContain("LAST OF");
        JsonNode blue = document.path("domains").path(0);
        assertThat(blue.path("name").asText()).isEqualTo("blue");
        assertThat(blue.path("channel").asInt()).isEqualTo(2);
        assertThat(blue.path("wrong").path(0).asText()).contains("imex-agent check on that node");
        assertThat(document.path("domains").path(1).path("wrong")).isEmpty();
        assertThat(document.path("channelsOfGoneDomains")).isEmpty();
        assertThat(world.api.requests().answers()).doesNotContainKey(403);
    }

    @Test
    void tellsTheChannelsThatGoneDomainsKeep() throws Exception {
        twoDomains();
        // Somebody took the finalizers away, and no controller is there to notice.
        world.api.remove(ResourceType.COMPUTE_DOMAINS, "default", "blue");
        world.api.remove(ResourceType.RESOURCE_CLAIM_TEMPLATES, "default", "blue-channel");
        world.api.remove(ResourceType.COMPUTE_DOMAINS, "default", "red");
        world.api.remove(ResourceType.RESOURCE_CLAIM_TEMPLATES, "default", "red-channel");
        world.api.remove(ResourceType.RESOURCE_CLAIMS, "default", "red-claim");

        JsonNode left = json(domains(0, "-o", "json")).path("channelsOfGoneDomains");

        assertThat(left).hasSize(2);
        assertThat(left.path(0).path("channel").asInt()).isEqualTo(1);
        assertThat(left.path(0).path("lastOf").asText()).isEqualTo("default/red");
        assertThat(left.path(0).path("wrong").path(0).asText()).contains("see that imex-controller runs");
        assertThat(left.path(1).path("claims").asInt()).isEqualTo(1);
        assertThat(left.path(1).path("wrong").path(0).asText())
                .contains("end the pods of 1 claim (default/blue-claim)");
        assertThat(domains(0)).contains("no ComputeDomains", "CHANNEL  LAST OF").contains("default/blue  held");
    }

    @Test
    void waitsOutAWatchThatFailsForAMoment() throws Exception {
        twoDomains();
        world.api.inject(FaultMatch.of(Verb.LIST, "computedomains"), FaultAction.answer(500), 1);
        world.api.inject(FaultMatch.of(Verb.LIST, "leases"), new FaultAction.Drop(), 1);

        assertThat(domains(0)).contains("red", "blue");
    }

    @Test
    void namesAMissingRightAtOnce() throws Exception {
        world.api.revoke(ControllerWorld.VIEWER, ResourceType.LEASES);

        assertThat(domains(1)).contains("leases").doesNotContain("\tat ");
    }

    @Test
    void namesAServerInTroubleSoon() throws Exception {
        world.api.inject(FaultMatch.of(Verb.LIST, "computedomains"), FaultAction.answer(503));

        assertThat(domains(1)).contains("ComputeDomains");
    }

    /** A host that has neither agent nor controller knows the isolation only from the cluster. */
    @Test
    void judgesByTheClustersIsolationWhereItsOwnIsNotSet() throws Exception {
        twoDomains();

        String table = domainsWith("{}", 0);

        assertThat(table.lines().map(line -> line.replaceAll(" +", " ")))
                .contains("default red Ready 1 red-channel 1 tray-1");
        assertThat(table).doesNotContain("imex.isolation is None", "has not brought it up to date");
    }

    private String domains(int exitCode, String... options) throws IOException, InterruptedException {
        return domainsWith(
                "{featureGates: {HostManagedIMEX: true}, imex: {isolation: IMEXChannel}}", exitCode, options);
    }

    private String domainsWith(String settings, int exitCode, String... options)
            throws IOException, InterruptedException {
        ObjectNode values = (ObjectNode) new YAMLMapper().readTree(settings);
        values.putObject("controller")
                .put("kubeconfig", folder.resolve("viewer.conf").toString());
        Path config = Files.writeString(folder.resolve("viewer.yaml"), values.toString());
        AgentLaunch launch = AgentLaunch.command("domains")
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
