package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.agent.ClaimedPod;
import io.imexagent.e2e.agent.Rails;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A real container engine reads what the agent wrote for RDMA NICs of a made-up tray. */
@ExtendWith(Worlds.class)
class RailsE2e {

    @ParameterizedTest(name = "with {0}")
    @MethodSource("io.imexagent.e2e.scenario.Podman#runtimes")
    void aContainerGetsTheNodesTheEnvironmentAndNothingElse(String runtime, World world) throws Exception {
        RdmaTree tree = RdmaTree.gb200(world.host().root());
        tree.file("sys/class/infiniband_mad/umad0/ibdev", "mlx5_0").file("sys/class/infiniband_mad/umad0/dev", "231:0");
        Podman podman = Podman.in(world.directory().resolve("podman"));
        var rails = new Rails(world);
        try (Mounts mounts = new Mounts()) {
            mounts.bind(world.host().cdiDirectory(), Path.of("/var/run/cdi"));
            AgentProcess agent = rails.startAlone();
            agent.awaitTrue("the rails", () -> rails.published().size() == 4);
            KubeletClaimRequest claim = rails.schedule(1, "rail-0000-03-00-0", "rail-0012-03-00-0");
            List<String> devices = Rails.cdiDevices(rails.prepare(claim));

            Podman.Result inside = podman.run(
                    runtime,
                    devices,
                    "sh",
                    "-c",
                    "cd /dev/infiniband && stat -c '%n %F %t:%T %a' * && env | grep -E 'NCCL|RDMA|IB_' | sort"
                            + " && ls /sys/class/net");

            assertThat(inside.exitCode()).as(inside.output()).isZero();
            assertThat(inside.output().lines())
                    .containsExactly(
                            "rdma_cm character special file a:79 666",
                            "uverbs0 character special file e7:c0 666",
                            "uverbs5 character special file e7:c5 666",
                            "NCCL_CONF_FILE=/run/imex-agent/nccl.conf",
                            "lo");

            rails.unprepare(claim);
            Podman.Result after = podman.run(runtime, devices, "true");
            assertThat(after.exitCode()).isNotZero();
            assertThat(after.output()).contains("unresolvable CDI devices");
        }
    }

    @ParameterizedTest(name = "with {0}")
    @MethodSource("io.imexagent.e2e.scenario.Podman#runtimes")
    void aContainerThatMaySetVariablesFindsTheirDefaultsInAFile(String runtime, World world) throws Exception {
        RdmaTree.gb200(world.host().root());
        Podman podman = Podman.in(world.directory().resolve("podman"));
        var rails = new Rails(world);
        KubeletClaimRequest claim = rails.schedule(1, Map.of("env", "unless-set"), "rail-0002-03-00-0");
        try (Mounts mounts = new Mounts()) {
            mounts.bind(world.host().cdiDirectory(), Path.of("/var/run/cdi"));
            AgentProcess agent = rails.startAlone();
            agent.awaitTrue("the rails", () -> rails.published().size() == 4);
            List<String> devices = Rails.cdiDevices(rails.awaitPrepared(agent, claim));

            Podman.Result inside = podman.run(runtime, devices, "sh", "-c", "env | grep NCCL; cat \"$NCCL_CONF_FILE\"");

            assertThat(inside).isEqualTo(new Podman.Result(0, """
                    NCCL_CONF_FILE=/run/imex-agent/nccl.conf
                    NCCL_IB_HCA==mlx5_1"""));
            rails.awaitUnprepared(agent, claim);
            assertThat(world.host().cdiFiles()).isEmpty();
        }
    }

    @ParameterizedTest(name = "with {0}")
    @MethodSource("io.imexagent.e2e.scenario.Podman#runtimes")
    void aContainerWithAChannelAndRailsGetsBothAndLosesEachByItself(String runtime, World world) throws Exception {
        RdmaTree.gb200(world.host().root());
        Podman podman = Podman.in(world.directory().resolve("podman"));
        var rails = new Rails(world);
        ClaimedPod channel = world.schedule(1);
        KubeletClaimRequest nics = rails.schedule(1, "rail-0002-03-00-0");
        try (Mounts mounts = new Mounts()) {
            mounts.bind(world.host().cdiDirectory(), Path.of("/var/run/cdi"));
            AgentProcess agent = world.with("rdma.enabled", "true").start(world.launch());
            rails.awaitPlugin(agent);
            agent.awaitTrue("the rails", () -> rails.published().size() == 4);
            List<String> devices = new ArrayList<>(Rails.cdiDevices(rails.awaitPrepared(agent, nics)));
            world.awaitPrepared(agent, channel);
            devices.add(channel.cdiDevice());

            Podman.Result inside = podman.run(
                    runtime,
                    devices,
                    "sh",
                    "-c",
                    "ls /dev/infiniband /dev/nvidia-caps-imex-channels && env | grep -E 'NCCL|IMEX' | sort");

            assertThat(inside.exitCode()).as(inside.output()).isZero();
            assertThat(inside.output().lines())
                    .containsExactly(
                            "/dev/infiniband:",
                            "rdma_cm",
                            "uverbs1",
                            "",
                            "/dev/nvidia-caps-imex-channels:",
                            "channel0",
                            "NCCL_CONF_FILE=/run/imex-agent/nccl.conf");

            world.awaitUnprepared(agent, channel);
            assertThat(podman.run(
                            runtime, Rails.cdiDevices(rails.prepare(nics)), "test", "-c", "/dev/infiniband/uverbs1"))
                    .as("the NIC without the channel")
                    .isEqualTo(new Podman.Result(0, ""));
            rails.awaitUnprepared(agent, nics);
            assertThat(world.host().cdiFiles()).isEmpty();
        }
    }
}
