package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.agent.ClaimedPod;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.testing.host.FakeHost;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A real container engine reads what the agent wrote. */
@ExtendWith(Worlds.class)
class ContainerE2e {
    private static final Path CDI_DIRECTORY = Path.of("/var/run/cdi");
    private static final String NODE = "/dev/nvidia-caps-imex-channels/channel0";

    @ParameterizedTest(name = "with {0}")
    @MethodSource("io.imexagent.e2e.scenario.Podman#runtimes")
    void aContainerHoldsTheChannelAsLongAsTheClaimIsPrepared(String runtime, World world) throws Exception {
        FakeNvmlLibrary driver = FakeNvmlLibrary.compile(world.directory().resolve("driver"));
        world.without("nvml.simulate")
                .with("host.driverRoot", driver.driverRoot().toString());
        Podman podman = Podman.in(world.directory().resolve("podman"));
        ClaimedPod workload = world.schedule(1);
        try (Mounts mounts = new Mounts()) {
            mounts.bind(world.host().cdiDirectory(), CDI_DIRECTORY);
            AgentProcess agent = world.startServing();
            world.awaitPrepared(agent, workload);

            Podman.Result inside = podman.run(runtime, workload.cdiDevice(), "stat", "-c", "%F %t %T %a", NODE);

            String major = Integer.toHexString(FakeHost.CHANNEL_MAJOR);
            assertThat(inside).isEqualTo(new Podman.Result(0, "character special file " + major + " 0 666"));

            agent.kill();
            assertThat(podman.run(runtime, workload.cdiDevice(), "test", "-c", NODE))
                    .as("a container without a running agent")
                    .isEqualTo(new Podman.Result(0, ""));

            AgentProcess second = world.startServing();
            world.awaitUnprepared(second, workload);
            Podman.Result after = podman.run(runtime, workload.cdiDevice(), "true");
            assertThat(after.exitCode()).isNotZero();
            assertThat(after.output()).contains("unresolvable CDI devices", workload.cdiDevice());
        }
    }
}
