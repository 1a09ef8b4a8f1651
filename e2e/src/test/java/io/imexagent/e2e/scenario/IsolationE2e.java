package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.isolation.IsolatedCluster;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.kubelet.ClaimResult;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What containers of several ComputeDomains on one node see, by a real container engine. */
@ExtendWith(Worlds.class)
class IsolationE2e {
    private static final Path CDI_DIRECTORY = Path.of("/var/run/cdi");
    private static final String CHANNELS = "/dev/nvidia-caps-imex-channels";

    @ParameterizedTest(name = "with {0}")
    @MethodSource("io.imexagent.e2e.scenario.Podman#runtimes")
    void containersOfTwoDomainsSeeTheirOwnChannelNodeAndNotTheOthers(String runtime, World world) throws Exception {
        Podman podman = Podman.in(world.directory().resolve("podman"));
        try (Mounts mounts = new Mounts();
                IsolatedCluster cluster = IsolatedCluster.around(world)) {
            mounts.bind(world.host().cdiDirectory(), CDI_DIRECTORY);
            cluster.apply("two-domains.yaml");
            AgentProcess agent = cluster.startAgent();
            cluster.awaitBound(agent, "red", "blue");
            String red = device(cluster.awaitPrepared(agent, "red"));
            String blue = device(cluster.awaitPrepared(agent, "blue"));

            assertThat(podman.run(runtime, red, "ls", CHANNELS))
                    .isEqualTo(new Podman.Result(0, "channel" + cluster.channel("red")));
            assertThat(podman.run(runtime, blue, "ls", CHANNELS))
                    .isEqualTo(new Podman.Result(0, "channel" + cluster.channel("blue")));
            assertThat(podman.run(runtime, red, "stat", "-c", "%t %T", node(cluster.channel("red"))))
                    .isEqualTo(new Podman.Result(0, numbers(cluster.channel("red"))));
            assertThat(podman.run(runtime, blue, "stat", "-c", "%t %T", node(cluster.channel("blue"))))
                    .isEqualTo(new Podman.Result(0, numbers(cluster.channel("blue"))));

            world.kubelet().unprepare(cluster.claim("red"));
            assertThat(podman.run(runtime, red, "true").output()).contains("unresolvable CDI devices", red);
            assertThat(podman.run(runtime, blue, "ls", CHANNELS).output())
                    .isEqualTo("channel" + cluster.channel("blue"));
        }
    }

    @ParameterizedTest(name = "with {0}")
    @MethodSource("io.imexagent.e2e.scenario.Podman#runtimes")
    void severalPodsOfADomainHoldItsChannelUntilEachHasEnded(String runtime, World world) throws Exception {
        Podman podman = Podman.in(world.directory().resolve("podman"));
        try (Mounts mounts = new Mounts();
                IsolatedCluster cluster = IsolatedCluster.around(world)) {
            mounts.bind(world.host().cdiDirectory(), CDI_DIRECTORY);
            cluster.apply("several-pods.yaml");
            AgentProcess agent = cluster.startAgent();
            cluster.awaitBound(agent, "several-1", "several-2");
            String first = device(cluster.awaitPrepared(agent, "several-1"));
            String second = device(cluster.awaitPrepared(agent, "several-2"));
            var channel = new Podman.Result(0, "channel" + cluster.channel("several"));

            assertThat(first).isNotEqualTo(second);
            assertThat(podman.run(runtime, first, "ls", CHANNELS)).isEqualTo(channel);
            assertThat(podman.run(runtime, second, "ls", CHANNELS)).isEqualTo(channel);

            world.kubelet().unprepare(cluster.claim("several-1"));
            assertThat(podman.run(runtime, first, "true").exitCode()).isNotZero();
            assertThat(podman.run(runtime, second, "ls", CHANNELS)).isEqualTo(channel);
        }
    }

    private static String device(ClaimResult.ClaimDevice device) {
        return device.cdiDeviceIds().getFirst();
    }

    private static String node(int channel) {
        return CHANNELS + "/channel" + channel;
    }

    /** Major and minor as stat prints them. */
    private static String numbers(int channel) {
        return Integer.toHexString(FakeHost.CHANNEL_MAJOR) + " " + Integer.toHexString(channel);
    }
}
