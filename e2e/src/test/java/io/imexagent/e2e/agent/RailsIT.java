package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import io.imexagent.testing.kubelet.KubeletEvent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** RDMA rails as devices of a second DRA driver in the running agent. */
@ExtendWith(Worlds.class)
class RailsIT {

    private static final String RDMA0 = "rail-0000-03-00-0";
    private static final String RDMA1 = "rail-0002-03-00-0";
    private static final String RDMA2 = "rail-0010-03-00-0";
    private static final String RDMA3 = "rail-0012-03-00-0";

    @Test
    void onePodHasAChannelAndRailsAndNeitherDriverKnowsOfTheOther(World world) throws Exception {
        RdmaTree.gb200(world.host().root());
        var rails = new Rails(world);
        ClaimedPod channel = world.schedule(1);
        KubeletClaimRequest nics = rails.schedule(1, RDMA0, RDMA1);
        AgentProcess agent = world.with("rdma.enabled", "true").start(world.launch());
        agent.awaitTrue("both drivers to be registered", () -> world.registrations() == 2);
        agent.awaitTrue("four rails", () -> rails.published().size() == 4);
        agent.awaitTrue("both slices", () -> world.slices().size() == 2);

        world.awaitPrepared(agent, channel);
        ClaimResult prepared = rails.prepare(nics);

        assertThat(Rails.cdiDevices(prepared))
                .containsExactly(
                        "k8s.rdma.imexagent.io/claim=" + nics.uid() + "-" + RDMA0,
                        "k8s.rdma.imexagent.io/claim=" + nics.uid() + "-" + RDMA1);
        assertThat(rails.variables(nics)).hasContent("NCCL_IB_HCA==mlx5_0,mlx5_1\n");
        assertThat(Files.readString(rails.spec(nics)))
                .contains("/dev/infiniband/uverbs0", "/dev/infiniband/rdma_cm")
                .doesNotContain("umad", "issm", "imex-channels");
        assertThat(world.checkpoint()).contains(channel.claim().uid()).doesNotContain(nics.uid());

        assertThat(rails.unprepare(nics)).isInstanceOf(ClaimResult.ClaimDone.class);
        assertThat(rails.spec(nics)).doesNotExist();
        assertThat(world.checkpoint()).contains(channel.claim().uid());
        assertThat(agent.terminate()).isZero();
    }

    @Test
    void railsAreServedWithoutHostManagedImex(World world) throws Exception {
        RdmaTree.gb200(world.host().root());
        var rails = new Rails(world);
        AgentProcess agent = rails.startAlone();

        agent.awaitTrue(
                "the rails and nothing else",
                () -> rails.published().equals(List.of(RDMA0, RDMA1, RDMA2, RDMA3))
                        && world.slices().size() == 1);
        // The driver's library may answer after the first slice was written.
        agent.awaitTrue(
                "the GPUs beside the rails",
                () -> rails.slices()
                        .getFirst()
                        .at("/spec/devices/0/attributes/nearestGpus/string")
                        .asText()
                        .equals("0,1"));
        ObjectNode slice = rails.slices().getFirst();
        assertThat(slice.at("/spec/devices/0/attributes/rateGbps/int").asInt()).isEqualTo(400);
        assertThat(world.host().checkpoint()).doesNotExist();
        agent.awaitTrue(
                "readiness",
                () -> world.get(agent, "/readyz")
                        .matches("(?s)200 .*\\[\\+] rdma-registered.*\\[\\+] rdma-published.*"));
        assertThat(world.metric(agent, "imex_agent_published_devices{driver=\"rdma.imexagent.io\"}"))
                .isEqualTo(4);
    }

    @Test
    void aHeldRailStaysPublishedWhileItsLinkIsDownAndTheKubeletIsTold(World world) throws Exception {
        RdmaTree tree = RdmaTree.gb200(world.host().root());
        var rails = new Rails(world);
        world.with("rdma.settleAfter", "0s");
        AgentProcess agent = rails.startAlone();
        agent.awaitTrue("four rails", () -> rails.published().size() == 4);
        assertThat(rails.prepare(rails.schedule(1, RDMA1))).isInstanceOf(ClaimResult.ClaimDone.class);

        tree.change("mlx5_1", nic -> nic.port("1: DOWN", "3: Disabled"));
        tree.change("mlx5_4", nic -> nic.port("1: DOWN", "3: Disabled"));

        agent.awaitTrue("the free one to go", () -> rails.published().equals(List.of(RDMA0, RDMA1, RDMA3)));
        agent.awaitTrue(
                "the word of its health",
                () -> agent.log().stream().anyMatch(line -> line.contains("rail is down device=" + RDMA1)));
        agent.awaitTrue(
                "the held one to be unhealthy",
                () -> world.kubelet().events(KubeletEvent.HealthReported.class).stream()
                        .filter(report -> report.driver().equals(Rails.DRIVER))
                        .anyMatch(report -> report.toString().contains("UNHEALTHY")));
        assertThat(World.refusal(rails.prepare(rails.schedule(2, RDMA2)))).contains("[rail_not_offered]");
        assertThat(world.metric(agent, "imex_agent_rdma_published{held=\"true\",state=\"down\""))
                .isEqualTo(1);
        assertThat(world.metric(agent, "imex_agent_rdma_published{held=\"false\",state=\"up\""))
                .isEqualTo(2);
    }

    @Test
    void whatContainersOfAPreparedClaimAreToldFollowsReloadsAddressesAndRestarts(World world) throws Exception {
        RdmaTree tree = RdmaTree.gb200(world.host().root());
        var rails = new Rails(world);
        AgentProcess agent = rails.startAlone();
        agent.awaitTrue("four rails", () -> rails.published().size() == 4);
        KubeletClaimRequest nics = rails.schedule(1, Map.of("env", "unless-set"), RDMA0);
        rails.awaitPrepared(agent, nics);
        Path told = rails.variables(nics);
        assertThat(told).hasContent("NCCL_IB_HCA==mlx5_0\n");

        world.with("rdma.ncclGidIndex", "true")
                .settings()
                .write(world.directory().resolve("config.yaml"));
        agent.hangUp();
        agent.awaitTrue("the index", () -> Files.readString(told).contains("NCCL_IB_GID_INDEX=3"));

        tree.change("mlx5_0", nic -> nic.withoutAddress().ipv4("fd00:1::1/64").ipv4("10.1.0.9/31"));
        agent.awaitTrue("the new one", () -> Files.readString(told).contains("NCCL_IB_GID_INDEX=5"));

        agent.kill();
        Files.delete(told);
        AgentProcess next = rails.startAlone();
        next.awaitTrue("the file", () -> Files.exists(told));
        rails.awaitUnprepared(next, nics);
        assertThat(world.host().cdiFiles()).isEmpty();
    }

    @Test
    void aDownRailIsTaintedWhereTheOperatorWantsThat(World world) throws Exception {
        RdmaTree tree = RdmaTree.gb200(world.host().root());
        var rails = new Rails(world);
        world.with("rdma.settleAfter", "0s").with("rdma.taint", "true");
        AgentProcess agent = rails.startAlone();
        agent.awaitTrue("four rails", () -> rails.published().size() == 4);

        tree.change("mlx5_1", nic -> nic.port("1: DOWN", "3: Disabled"));

        agent.awaitTrue(
                "the taint",
                () -> rails.slices()
                        .getFirst()
                        .at("/spec/devices/1/taints/0/key")
                        .asText()
                        .equals("rdma.imexagent.io/down"));
        assertThat(rails.published()).hasSize(4);
    }

    @Test
    void rdmaThatIsSwitchedOffOverPreparedClaimsIsRefusedAndForcedToldAndTheCommandsShowThem(World world)
            throws Exception {
        RdmaTree.gb200(world.host().root());
        var rails = new Rails(world);
        AgentProcess agent = rails.startAlone();
        agent.awaitTrue("four rails", () -> rails.published().size() == 4);
        KubeletClaimRequest nics = rails.schedule(1, RDMA0);
        rails.awaitPrepared(agent, nics);
        assertThat(run(world, "check")).contains("rdma-record", "rails.state holds 1 claim", "rdma-other-plugin");
        assertThat(agent.terminate()).isZero();
        world.with("rdma.enabled", "false");

        AgentProcess refused = world.start(world.launch());

        assertThat(refused.awaitExit()).isEqualTo(1);
        assertThat(refused.log())
                .anyMatch(line -> line.contains("rdma.enabled is off now"))
                .anyMatch(line -> line.contains("uid " + nics.uid()))
                .anyMatch(line -> line.contains("set rdma.enabled back to true"));
        assertThat(run(world, "check")).contains("rdma-record", "rdma.enabled is off now");
        assertThat(run(world, "claims", "list")).containsPattern(nics.uid() + " +rdma.imexagent.io +completed");
        assertThat(run(world, "claims", "show", nics.uid()))
                .contains(World.NODE + "/" + RDMA0, "k8s.rdma.imexagent.io/claim=");
        AgentProcess forced = world.start(world.launch().arguments("--force"));
        forced.awaitTrue(
                "the word of what is left",
                () -> forced.log().stream().anyMatch(line -> line.contains("left behind by --force")));
        forced.kill();

        AgentProcess again = rails.startAlone();
        rails.awaitUnprepared(again, nics);
        assertThat(rails.spec(nics)).doesNotExist();
    }

    private static String run(World world, String... arguments) throws Exception {
        AgentProcess command = world.start(AgentLaunch.command(arguments)
                .arguments(
                        "--config",
                        world.settings()
                                .write(world.directory().resolve("config.yaml"))
                                .toString()));
        command.awaitExit();
        return String.join("\n", command.log());
    }

    @Test
    void aSecondLifeKnowsTheClaimsOfTheFirst(World world) throws Exception {
        RdmaTree.gb200(world.host().root());
        var rails = new Rails(world);
        AgentProcess first = rails.startAlone();
        first.awaitTrue("four rails", () -> rails.published().size() == 4);
        KubeletClaimRequest nics = rails.schedule(1, RDMA0);
        ClaimResult prepared = rails.prepare(nics);
        first.kill();
        Files.delete(rails.spec(nics));

        AgentProcess second = rails.startAlone();
        second.awaitTrue("the spec", () -> Files.exists(rails.spec(nics)));

        second.awaitTrue("the kubelet to reach it", () -> rails.prepare(nics).equals(prepared));
        assertThat(rails.unprepare(nics)).isInstanceOf(ClaimResult.ClaimDone.class);
    }
}
