package io.imexagent.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.scheduler.SchedulerDouble;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.object.Gates;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The examples, from {@code kubectl apply} to the CDI spec, with controller, scheduler and agent. */
@ExtendWith(Worlds.class)
class IsolationIT {

    @Test
    void twoDomainsShareANodeAndEachContainerGetsItsOwnChannelOnly(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            AgentProcess agent = cluster.startTwoDomains();
            assertThat(cluster.awaitPrepared(agent, "red").name()).isEqualTo("channel");
            assertThat(cluster.awaitPrepared(agent, "blue").name()).isEqualTo("channel");
            int red = cluster.channel("red");
            int blue = cluster.channel("blue");
            assertThat(red).isPositive().isNotEqualTo(blue);

            assertThat(cluster.spec(cluster.claim("red")))
                    .contains("/dev/nvidia-caps-imex-channels/channel" + red)
                    .doesNotContain("channels/channel" + blue);
            assertThat(cluster.spec(cluster.claim("blue")))
                    .contains("/dev/nvidia-caps-imex-channels/channel" + blue)
                    .doesNotContain("channels/channel" + red);
        }
    }

    @Test
    void severalPodsOfADomainShareItsChannelAndLeaveEachOtherAlone(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            cluster.apply("several-pods.yaml");
            AgentProcess agent = cluster.startAgent();
            cluster.awaitBound(agent, "several-1", "several-2");
            ClaimResult.ClaimDevice first = cluster.awaitPrepared(agent, "several-1");
            ClaimResult.ClaimDevice second = cluster.awaitPrepared(agent, "several-2");

            assertThat(first.name()).isEqualTo(second.name());
            assertThat(first.cdiDeviceIds()).doesNotContainAnyElementsOf(second.cdiDeviceIds());
            assertThat(first.shareId())
                    .contains(cluster.allocated("several-1").path("shareID").asText());
            assertThat(second.shareId())
                    .contains(cluster.allocated("several-2").path("shareID").asText());
            assertThat(first.shareId()).isNotEqualTo(second.shareId());

            KubeletClaimRequest stays = cluster.claim("several-2");
            String spec = cluster.spec(stays);
            KubeletClaimRequest goes = cluster.claim("several-1");
            assertThat(world.kubelet().unprepare(goes)).isInstanceOf(ClaimResult.ClaimDone.class);

            assertThat(cluster.spec(stays)).isEqualTo(spec);
            assertThat(world.host().cdiFiles(goes.uid())).isEmpty();
            assertThat(world.checkpoint())
                    .contains("\"ShareID\":\"" + second.shareId().orElseThrow() + "\"")
                    .doesNotContain(goes.uid());

            agent.kill();
            AgentProcess next = cluster.startAgent();
            assertThat(cluster.awaitPrepared(next, "several-2")).isEqualTo(second);
        }
    }

    @Test
    void whereTheClusterKnowsNoSharingPlacesAreInItsStead(World world) throws Exception {
        world.api().setGates(new Gates(true, false));
        world.with("imex.places", "2");
        try (var cluster = IsolatedCluster.around(world)) {
            cluster.apply("several-pods.yaml");
            AgentProcess agent = cluster.startAgent();
            agent.awaitTrue("two places", () -> cluster.published() == 2);
            cluster.awaitBound(agent, "several-1", "several-2");

            assertThat(agent.log()).anyMatch(line -> line.contains("enable the feature gate DRAConsumableCapacity"));
            assertThat(check(world)).containsPattern("(?s)sharing.*2 claims at most");
            ClaimResult.ClaimDevice first = cluster.awaitPrepared(agent, "several-1");
            ClaimResult.ClaimDevice second = cluster.awaitPrepared(agent, "several-2");
            assertThat(List.of(first.name(), second.name()))
                    .containsExactlyInAnyOrder("channel-place-0", "channel-place-1");
            String node = "/dev/nvidia-caps-imex-channels/channel" + cluster.channel("several");
            assertThat(cluster.spec(cluster.claim("several-1"))).contains(node);
            assertThat(cluster.spec(cluster.claim("several-2"))).contains(node);
        }
    }

    @Test
    void aComputeDomainOfAnotherNamespaceIsNotFoundAndNobodyIsToldWhereItIs(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            AgentProcess agent = cluster.startAgent();
            world.api().apply(Json.literal("""
                    {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"elsewhere"}}"""));
            world.api().apply(Fixtures.computeDomain("elsewhere", "red", Fixtures.uid(70), "red-channel"));

            ClaimResult result = world.kubelet().prepare(cluster.schedule(World.NODE, "thief", Fixtures.uid(70)));

            assertThat(World.refusal(result)).contains("[domain_not_found]").doesNotContain("elsewhere");
            assertThat(world.host().cdiFiles()).isEmpty();
            assertThat(world.get(agent, "/metrics")).contains("error_type=\"domain_not_found\"");
            agent.awaitTrue("nothing is held", () -> cluster.holds().isEmpty());
        }
    }

    @Test
    void aDomainThatIsBeingDeletedGrantsItsChannelToNoFurtherClaimAndThePreparedOneStays(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            AgentProcess agent = cluster.startTwoDomains();
            ClaimResult.ClaimDevice before = cluster.awaitPrepared(agent, "red");
            String uid = cluster.domain("red").at("/metadata/uid").asText();
            cluster.stopController();
            world.api()
                    .edit(
                            ResourceType.COMPUTE_DOMAINS,
                            World.NAMESPACE,
                            "red",
                            domain -> domain.withObject("/metadata").put("deletionTimestamp", "2026-11-21T12:00:00Z"));
            KubeletClaimRequest late = cluster.schedule(World.NODE, "late", uid);

            ClaimResult result = world.kubelet().prepare(late);

            assertThat(World.refusal(result))
                    .contains("ComputeDomain default/red is being deleted", "[domain_deleting]");
            assertThat(world.host().cdiFiles(late.uid())).isEmpty();
            assertThat(cluster.awaitPrepared(agent, "red")).isEqualTo(before);
        }
    }

    @Test
    void aChannelIsFreeWhenItsLastPodHasEndedAndTheNextDomainGetsIt(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            world.with("imex.channels", "2");
            AgentProcess agent = cluster.startTwoDomains();
            cluster.awaitPrepared(agent, "red");

            assertThat(World.refusal(world.kubelet().prepare(cluster.claim("blue"))))
                    .contains("[channels_exhausted]");
            world.kubelet().unprepare(cluster.claim("red"));
            cluster.awaitPrepared(agent, "blue");
            assertThat(cluster.channel("blue")).isEqualTo(1);
        }
    }

    @Test
    void aNamespaceGetsNoMoreChannelsThanItMay(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            world.with("imex.channelsPerNamespace", "1");
            AgentProcess agent = cluster.startTwoDomains();
            cluster.awaitPrepared(agent, "red");

            assertThat(World.refusal(world.kubelet().prepare(cluster.claim("blue"))))
                    .contains("[namespace_channels_exhausted]");
        }
    }

    @Test
    void aWorkloadLivesItsWholeLifeWithoutAController(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            AgentProcess agent = cluster.startTwoDomains();
            cluster.stopController();

            ClaimResult.ClaimDevice device = cluster.awaitPrepared(agent, "red");
            agent.kill();
            AgentProcess next = cluster.startAgent();
            assertThat(cluster.awaitPrepared(next, "red")).isEqualTo(device);
            assertThat(world.kubelet().unprepare(cluster.claim("red"))).isInstanceOf(ClaimResult.ClaimDone.class);
            next.awaitTrue("nothing is held", () -> cluster.holds().isEmpty());
            assertThat(cluster.entries()).as("nobody frees it").hasSize(1);
        }
    }

    @Test
    void aNodesObjectThatSomebodyDeletedIsMadeAnewWithWhatItHolds(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            cluster.apply("smoke.yaml");
            AgentProcess agent = cluster.startAgent();
            cluster.awaitBound(agent, "imex-smoke");
            cluster.awaitPrepared(agent, "imex-smoke");
            agent.awaitTrue(
                    "its channel is told", () -> cluster.holds().getFirst().has("channel"));
            JsonNode held = cluster.holds().getFirst();
            agent.kill();
            cluster.strip(ResourceType.NVLINK_NODES, "", World.NODE);

            AgentProcess next = cluster.startAgent();
            next.awaitTrue(
                    "it holds again",
                    () -> cluster.holds().stream()
                            .anyMatch(hold -> hold.path("channel").equals(held.path("channel"))));
            assertThat(cluster.entries()).hasSize(1);
        }
    }

    @Test
    void anotherIsolationIsRefusedWhileClaimsArePrepared(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            cluster.apply("smoke.yaml");
            AgentProcess agent = cluster.startAgent();
            cluster.awaitBound(agent, "imex-smoke");
            cluster.awaitPrepared(agent, "imex-smoke");
            agent.kill();

            AgentProcess other = world.with("imex.isolation", "None").start(world.launch());

            assertThat(other.awaitExit()).isEqualTo(1);
            assertThat(other.log())
                    .anyMatch(line -> line.contains("host-managed, isolation IMEXChannel")
                            && line.contains("host-managed, isolation None"));
        }
    }

    @Test
    void aDriverWithoutChannelsAboveZeroPublishesNothing(World world) throws Exception {
        world.host().channelCount(1);
        try (var cluster = IsolatedCluster.around(world)) {
            AgentProcess agent = world.startRegistered(world.launch());
            agent.awaitTrue(
                    "the reason",
                    () -> agent.log().stream()
                            .anyMatch(line -> line.contains("hands out channels above 0, and the driver offers none")));
            assertThat(cluster.published()).isZero();

            world.host().channelCount(60);
            agent.awaitTrue("the device to be published", () -> cluster.published() == 1);
        }
    }

    /** The example is for channel 0, so under isolation None. */
    @Test
    void theNegativeExampleIsRefusedByTheAgentAsWell(World world) throws Exception {
        world.api().apply(IsolatedCluster.example("negative-all.yaml"));
        world.startServing();
        var scheduler = new SchedulerDouble(world.api());
        assertThat(scheduler.pass()).isEmpty();
        ObjectNode pod = world.api()
                .get(ResourceType.PODS, World.NAMESPACE, "imex-negative")
                .orElseThrow();
        ObjectNode claim = world.api()
                .get(
                        ResourceType.RESOURCE_CLAIMS,
                        World.NAMESPACE,
                        SchedulerDouble.claims(pod).getFirst())
                .orElseThrow();

        ClaimResult result = world.kubelet()
                .prepare(new KubeletClaimRequest(
                        World.NAMESPACE,
                        claim.at("/metadata/name").asText(),
                        claim.at("/metadata/uid").asText()));

        assertThat(World.refusal(result)).contains("allocationMode \"All\"", "[allocation_mode]");
    }

    private static String check(World world) throws Exception {
        AgentLaunch launch = AgentLaunch.command(
                "check", "--config", world.directory().resolve("config.yaml").toString());
        try (AgentProcess check = launch.start()) {
            check.awaitExit();
            return String.join("\n", check.log());
        }
    }
}
