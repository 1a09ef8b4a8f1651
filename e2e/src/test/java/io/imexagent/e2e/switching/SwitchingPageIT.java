package io.imexagent.e2e.switching;

import static io.imexagent.testing.api.object.ResourceType.COMPUTE_DOMAINS;
import static io.imexagent.testing.api.object.ResourceType.CUSTOM_RESOURCE_DEFINITIONS;
import static io.imexagent.testing.api.object.ResourceType.DAEMON_SETS;
import static io.imexagent.testing.api.object.ResourceType.DEVICE_CLASSES;
import static io.imexagent.testing.api.object.ResourceType.LEASES;
import static io.imexagent.testing.api.object.ResourceType.NODES;
import static io.imexagent.testing.api.object.ResourceType.NVLINK_CLIQUES;
import static io.imexagent.testing.api.object.ResourceType.NVLINK_NODES;
import static io.imexagent.testing.api.object.ResourceType.RESOURCE_CLAIM_TEMPLATES;
import static io.imexagent.testing.api.object.ResourceType.VALIDATING_ADMISSION_POLICIES;
import static io.imexagent.testing.api.object.ResourceType.VALIDATING_ADMISSION_POLICY_BINDINGS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.policy.Isolation;
import io.imexagent.e2e.agent.ClaimedPod;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.Fixtures;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Both ways of docs/switching.md, object by object: what each step takes away, and what is left in the end. */
@ExtendWith(Worlds.class)
class SwitchingPageIT {

    private static final String DOMAIN_LABEL = "resource.nvidia.com/computeDomain";
    private static final String CLIQUE_LABEL = "nvidia.com/gpu.clique";

    @ParameterizedTest
    @CsvSource({"NONE, true", "NONE, false", "IMEX_CHANNEL, true", "IMEX_CHANNEL, false"})
    void fromHostManagedToDriverManaged(Isolation isolation, boolean admission, World world) throws Exception {
        SwitchingPage page = SwitchingPage.way("Host-managed → driver-managed");
        try (var cluster = new SwitchedCluster(world, isolation)) {
            cluster.applyOurs(admission);
            cluster.startController();
            AgentProcess agent = world.startServing();
            String uid = cluster.create("train");
            cluster.await("the ComputeDomain to be ready", () -> cluster.ready("train"));
            ClaimedPod pod = cluster.schedule(uid);
            world.awaitPrepared(agent, pod);
            cluster.await("the NVLinkNode", () -> !cluster.names(NVLINK_NODES).isEmpty());
            cluster.await("the label", () -> cluster.labels().has(CLIQUE_LABEL));

            // 1. Drained; the ComputeDomains go, while the controllers run.
            world.awaitUnprepared(agent, pod);
            world.forget(pod);
            page.delete(0, cluster.api);
            cluster.await(
                    "1. no ComputeDomain", () -> page.found(0, cluster.api).isEmpty());
            assertThat(cluster.names(RESOURCE_CLAIM_TEMPLATES)).isEmpty();

            // 2. No agent goes on; the controllers take away what nodes and cliques have.
            assertThat(agent.terminate()).isZero();
            page.delete(1, cluster.api);
            cluster.await("2. no NVLinkNode", () -> page.found(1, cluster.api).isEmpty());

            // 3. The controllers end; without 4. the public one is stopped.
            cluster.stopController();
            var theirs = new PublicController(cluster.api);
            cluster.create("job");
            theirs.pass();
            assertThat(theirs.refusals())
                    .singleElement()
                    .asString()
                    .contains(admission ? "'imex-agent-templates'" : "'imex-agent-computedomain-status'");
            assertThat(cluster.ready("job")).isFalse();

            // 4. What stops it goes.
            page.delete(2, cluster.api);
            assertThat(cluster.names(DEVICE_CLASSES)).isEmpty();

            // 6. Its chart brings its classes; its controller writes the status.
            cluster.applyTheirs();
            theirs.pass();
            assertThat(theirs.refusals()).hasSize(1);
            assertThat(cluster.domain("job").at("/status/status").asText()).isEqualTo("Ready");
            assertThat(cluster.domain("job").at("/status/nodes")).hasSize(1);
            assertThat(cluster.names(DAEMON_SETS)).hasSize(1);
            assertThat(cluster.names(RESOURCE_CLAIM_TEMPLATES)).hasSize(2);

            // What stays of imex-agent.
            List<String> policies = admission
                    ? List.of("imex-agent-nvlinkcliques", "imex-agent-nvlinknodes", "imex-agent-slices")
                    : List.of("imex-agent-nvlinkcliques", "imex-agent-nvlinknodes");
            assertThat(cluster.names(VALIDATING_ADMISSION_POLICIES)).isEqualTo(policies);
            assertThat(cluster.names(VALIDATING_ADMISSION_POLICY_BINDINGS)).isEqualTo(policies);
            assertThat(cluster.names(CUSTOM_RESOURCE_DEFINITIONS))
                    .containsExactly(
                            "cliqueplacements.imexagent.io",
                            "computedomains.resource.nvidia.com",
                            "fabrictests.imexagent.io",
                            "nvlinkcliques.imexagent.io",
                            "nvlinknodes.imexagent.io");
            assertThat(cluster.names(NVLINK_NODES)).isEmpty();
            assertThat(cluster.names(NVLINK_CLIQUES)).isEmpty();
            assertThat(cluster.names(LEASES)).containsExactly("imex-controller");
            assertThat(cluster.labels().has(CLIQUE_LABEL)).isTrue();
            assertThat(world.slices())
                    .as("until the kubelet has waited for 30 s")
                    .hasSize(1);
            assertThat(world.checkpoint()).doesNotContain(pod.claim().uid());
            assertThat(world.host().cdiFiles()).isEmpty();
            assertThat(modeFile(world)).content().contains(isolation.text());

            // And its own way out.
            page.delete(0, cluster.api);
            theirs.pass();
            assertThat(cluster.names(COMPUTE_DOMAINS)).isEmpty();
            assertThat(cluster.names(DAEMON_SETS)).isEmpty();
            assertThat(cluster.names(RESOURCE_CLAIM_TEMPLATES)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "IMEX_CHANNEL"})
    void fromDriverManagedToHostManaged(Isolation isolation, World world) throws Exception {
        SwitchingPage page = SwitchingPage.way("Driver-managed → host-managed");
        try (var cluster = new SwitchedCluster(world, isolation)) {
            cluster.applyTheirs();
            var theirs = new PublicController(cluster.api);
            String old = cluster.create("job");
            theirs.pass();
            ObjectNode slice = theirSlice(cluster);
            cluster.api.edit(
                    NODES,
                    "",
                    World.NODE,
                    node -> node.withObject("/metadata/labels").put(DOMAIN_LABEL, old));
            assertThat(theirs.refusals()).isEmpty();

            // 2. Their controller takes everything of the ComputeDomains away.
            page.delete(0, cluster.api);
            assertThat(page.found(0, cluster.api)).isNotEmpty();
            theirs.pass();
            assertThat(page.found(0, cluster.api)).isEmpty();
            assertThat(cluster.labels().has(DOMAIN_LABEL)).isFalse();

            // 3. The public driver goes, and its chart's classes.
            for (String name : cluster.names(DEVICE_CLASSES)) {
                cluster.api.remove(DEVICE_CLASSES, "", name);
            }

            // 5. Our objects and controllers come; 6. the agent serves.
            cluster.applyOurs(true);
            cluster.startController();
            AgentProcess agent = world.startRegistered(world.launch());
            cluster.await(
                    "their slice to be replaced",
                    () -> world.slices().stream()
                            .noneMatch(one -> one.toString().contains("daemon")));

            // 7. The ComputeDomains are made again.
            String uid = cluster.create("train");
            cluster.await("the ComputeDomain to be ready", () -> cluster.ready("train"));
            ClaimedPod pod = cluster.schedule(uid);
            world.awaitPrepared(agent, pod);

            assertThat(cluster.names(DEVICE_CLASSES))
                    .contains(SwitchedCluster.DEFAULT_CLASS)
                    .doesNotContain(SwitchedCluster.DAEMON_CLASS);
            assertThat(cluster.names(DAEMON_SETS)).isEmpty();
            assertThat(cluster.names(RESOURCE_CLAIM_TEMPLATES)).containsExactly("train-channel");
            assertThat(cluster.domain("train").at("/metadata/finalizers"))
                    .extracting(JsonNode::asText)
                    .containsExactly(DOMAIN_LABEL);
            assertThat(cluster.domain("train").at("/status/conditions")).isNotEmpty();
            assertThat(world.slices())
                    .singleElement()
                    .satisfies(now ->
                            assertThat(now.at("/spec/devices")).hasSize(1).isNotEqualTo(slice.at("/spec/devices")));
            assertThat(cluster.names(NVLINK_NODES)).containsExactly(World.NODE);
            assertThat(world.checkpoint()).contains(pod.claim().uid());
            assertThat(modeFile(world)).content().contains(isolation.text());
        }
    }

    /** The slice of the public plugin: channel 0, and the device of the daemons. */
    private static ObjectNode theirSlice(SwitchedCluster cluster) {
        ObjectNode slice = Fixtures.resourceSlice(
                World.NODE,
                cluster.api
                        .get(NODES, "", World.NODE)
                        .orElseThrow()
                        .at("/metadata/uid")
                        .asText());
        ObjectNode daemon = slice.withArray("/spec/devices").addObject().put("name", "daemon-0");
        daemon.withObject("/attributes/type").put("string", "daemon");
        daemon.withObject("/attributes/id").put("int", 0);
        return cluster.api.create(slice);
    }

    private static Path modeFile(World world) {
        return world.host().stateDirectory().resolve("mode.json");
    }
}
