package io.imexagent.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.imexagent.testing.kubelet.Claim;
import io.imexagent.testing.kubelet.ClaimResult;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The examples, from {@code kubectl apply} to the CDI spec, with controller, scheduler and agent. */
@ExtendWith(Worlds.class)
class IsolationIT {

    @Test
    void twoDomainsShareANodeAndEachContainerGetsItsOwnChannelOnly(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            cluster.apply("two-domains.yaml");
            AgentProcess agent = cluster.startAgent();
            cluster.awaitBound(agent, "red", "blue");
            int red = cluster.channel("red");
            int blue = cluster.channel("blue");
            assertThat(red).isPositive().isNotEqualTo(blue);

            assertThat(cluster.awaitPrepared(agent, "red").name()).isEqualTo("channel-" + red);
            assertThat(cluster.awaitPrepared(agent, "blue").name()).isEqualTo("channel-" + blue);

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
            ClaimResult.Device first = cluster.awaitPrepared(agent, "several-1");
            ClaimResult.Device second = cluster.awaitPrepared(agent, "several-2");

            assertThat(first.name()).isEqualTo(second.name());
            assertThat(first.cdiDeviceIds()).doesNotContainAnyElementsOf(second.cdiDeviceIds());
            assertThat(first.shareId())
                    .contains(cluster.allocated("several-1").path("shareID").asText());
            assertThat(second.shareId())
                    .contains(cluster.allocated("several-2").path("shareID").asText());
            assertThat(first.shareId()).isNotEqualTo(second.shareId());

            Claim stays = cluster.claim("several-2");
            String spec = cluster.spec(stays);
            Claim goes = cluster.claim("several-1");
            assertThat(world.kubelet().unprepare(goes)).isInstanceOf(ClaimResult.Done.class);

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
    void whereTheClusterKnowsNoSharingTheSecondPodStaysPendingAndCheckSaysSo(World world) throws Exception {
        world.api().setGates(new Gates(true, false));
        try (var cluster = IsolatedCluster.around(world)) {
            cluster.apply("several-pods.yaml");
            AgentProcess agent = cluster.startAgent();
            cluster.awaitBound(agent, "several-1");

            assertThat(cluster.scheduler().pass().get("default/several-2")).contains("finds no device");
            assertThat(agent.log()).anyMatch(line -> line.contains("turn on DRAConsumableCapacity"));
            assertThat(check(world)).containsPattern("(?s)sharing.*are for one claim each");

            ClaimResult.Device only = cluster.awaitPrepared(agent, "several-1");
            assertThat(only.shareId()).isEmpty();
            world.kubelet().unprepare(cluster.claim("several-1"));
            cluster.scheduler().end(World.NAMESPACE, "several-1");
            cluster.awaitBound(agent, "several-2");
            assertThat(cluster.awaitPrepared(agent, "several-2").name()).isEqualTo(only.name());
        }
    }

    @Test
    void aClaimThatTookAnotherDomainsChannelIsRefusedForGood(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            cluster.apply("two-domains.yaml");
            AgentProcess agent = cluster.startAgent();
            cluster.awaitBound(agent, "red", "blue");
            String red = cluster.domain("red").at("/metadata/uid").asText();
            ObjectNode pod = Fixtures.pod(World.NAMESPACE, "thief", Fixtures.uid(77), World.NODE, "thief");
            ObjectNode claim =
                    Fixtures.allocatedClaim(World.NAMESPACE, "thief", Fixtures.uid(78), World.NODE, red, pod);
            ((ObjectNode) claim.at("/status/allocation/devices/results/0"))
                    .put("device", "channel-" + cluster.channel("blue"));
            world.api().apply(pod);
            world.api().apply(claim);

            ClaimResult result = world.kubelet().prepare(new Claim(World.NAMESPACE, "thief", Fixtures.uid(78)));

            assertThat(World.refusal(result))
                    .contains(
                            "channel " + cluster.channel("blue"),
                            "ComputeDomain default/red",
                            "[channel_not_of_domain]");
            assertThat(world.host().cdiFiles()).isEmpty();
            assertThat(world.metric(agent, "nvidia_dra_node_prepare_errors_total{"))
                    .isEqualTo(1);
            assertThat(world.get(agent, "/metrics")).contains("error_type=\"channel_not_of_domain\"");
        }
    }

    @Test
    void aDomainThatIsBeingDeletedGrantsItsChannelToNoFurtherClaimAndThePreparedOneStays(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            cluster.apply("two-domains.yaml");
            AgentProcess agent = cluster.startAgent();
            cluster.awaitBound(agent, "red", "blue");
            ClaimResult.Device before = cluster.awaitPrepared(agent, "red");
            String uid = cluster.domain("red").at("/metadata/uid").asText();
            ObjectNode pod = Fixtures.pod(World.NAMESPACE, "late", Fixtures.uid(77), World.NODE, "late");
            ObjectNode claim = Fixtures.allocatedClaim(World.NAMESPACE, "late", Fixtures.uid(78), World.NODE, uid, pod);
            ((ObjectNode) claim.at("/status/allocation/devices/results/0"))
                    .put("device", "channel-" + cluster.channel("red"));
            // Its status names the channel until it is gone; no controller changes anything meanwhile.
            cluster.stopController();
            world.api()
                    .edit(
                            ResourceType.COMPUTE_DOMAINS,
                            World.NAMESPACE,
                            "red",
                            domain -> domain.withObject("/metadata").put("deletionTimestamp", "2026-11-21T12:00:00Z"));
            world.api().apply(pod);
            world.api().apply(claim);

            ClaimResult result = world.kubelet().prepare(new Claim(World.NAMESPACE, "late", Fixtures.uid(78)));

            assertThat(World.refusal(result))
                    .contains("ComputeDomain default/red is being deleted", "[domain_deleting]");
            assertThat(world.host().cdiFiles(Fixtures.uid(78))).isEmpty();
            assertThat(cluster.awaitPrepared(agent, "red")).isEqualTo(before);
        }
    }

    @Test
    void aTemplateWhoseSelectorMatchesNothingLeavesItsPodPending(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            cluster.apply("smoke.yaml");
            AgentProcess agent = cluster.startAgent();
            agent.awaitTrue(
                    "the template",
                    () -> !world.api()
                            .list(ResourceType.RESOURCE_CLAIM_TEMPLATES)
                            .isEmpty());
            cluster.stopController();
            world.api()
                    .edit(
                            ResourceType.RESOURCE_CLAIM_TEMPLATES,
                            World.NAMESPACE,
                            "imex-smoke-channel",
                            template -> ((ObjectNode)
                                            template.at("/spec/spec/devices/requests/0/exactly/selectors/0/cel"))
                                    .put("expression", "device.attributes['compute-domain.nvidia.com'].id == 4000"));

            Map<String, String> pending = cluster.scheduler().pass();

            assertThat(pending.get("default/imex-smoke")).contains("request channel finds no device");
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
    void channelsAreCutIntoSlicesThatTheServerTakesWithTaintsToo(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            world.with("imex.channels", "300");
            AgentProcess agent = world.startRegistered(world.launch());
            agent.awaitTrue("the channels to be published", () -> cluster.published() == 299);
            assertThat(world.slices()).hasSize(3);
            agent.kill();

            AgentProcess tainting = world.with("imex.health.taint", "true").startRegistered(world.launch());
            tainting.awaitTrue("slices of 64", () -> world.slices().size() == 5 && cluster.published() == 299);
            assertThat(world.slices().stream()
                            .flatMap(slice -> slice.at("/spec/devices").valueStream())
                            .map(device -> device.at("/attributes/id/int").asInt()))
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(1, 300).boxed().toList());
        }
    }

    @Test
    void aDriverWithFewerChannelsPublishesThoseItHas(World world) throws Exception {
        world.host().channelCount(40);
        try (var cluster = IsolatedCluster.around(world)) {
            AgentProcess agent = world.startRegistered(world.launch());
            agent.awaitTrue("the channels to be published", () -> cluster.published() == 39);

            world.host().channelCount(60);
            agent.awaitTrue("the driver's new channels", () -> cluster.published() == 59);
        }
    }

    /** The example is for channel 0, so under isolation None. */
    @Test
    void theNegativeExampleIsRefusedByTheAgentAsWell(World world) throws Exception {
        world.api().apply(IsolatedCluster.example("negative-all.yaml"));
        world.api().apply(Json.literal("""
                {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"negative"},
                 "spec":{"containers":[],"resourceClaims":[
                  {"name":"channel","resourceClaimTemplateName":"imex-negative-channel"}]}}"""));
        world.startServing();
        var scheduler = new SchedulerDouble(world.api());
        assertThat(scheduler.pass()).isEmpty();
        ObjectNode pod =
                world.api().get(ResourceType.PODS, World.NAMESPACE, "negative").orElseThrow();
        ObjectNode claim = world.api()
                .get(
                        ResourceType.RESOURCE_CLAIMS,
                        World.NAMESPACE,
                        SchedulerDouble.claims(pod).getFirst())
                .orElseThrow();

        ClaimResult result = world.kubelet()
                .prepare(new Claim(
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
