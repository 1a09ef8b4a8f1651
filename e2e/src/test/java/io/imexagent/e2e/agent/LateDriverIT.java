package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.ServiceManagerDouble;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.SimulatedFabric;
import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Driver and fabric come and change while the agent runs, here with a compiled library in NVML's place. */
@ExtendWith(Worlds.class)
class LateDriverIT {
    private static final String CLIQUE_LABEL = "nvidia.com/gpu.clique";

    @Test
    void aMajorThatAppearsIsPublishedAndOneThatChangesIsFollowed(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        world.host().withoutChannelMajor();
        AgentProcess agent = world.startRegistered(world.launch());
        agent.awaitTrue(
                "the finding", () -> world.metric(agent, "imex_agent_findings{code=\"channel-major-missing\"") == 1);
        assertThat(world.slices()).isEmpty();
        assertThat(World.refusal(world.prepare(workload))).contains("[no_channel_major]");

        world.host().channelMajor(511);
        world.awaitSlice(agent);
        world.awaitPrepared(agent, workload);
        assertThat(world.host().cdiFiles().getFirst()).content().contains("\"major\" : 511");

        world.host().channelMajor(300);
        agent.awaitTrue("the spec to follow", () -> {
            world.prepare(workload);
            return Files.readString(world.host().cdiFiles().getFirst()).contains("\"major\" : 300");
        });
    }

    @Test
    void aHangUpReadsTheHostAtOnce(World world) throws Exception {
        AgentProcess agent = world.with("inventory.interval", "1h").startServing();
        world.host().channelMajor(300);

        agent.hangUp();

        agent.awaitTrue("the new major", () -> world.metric(agent, "imex_agent_channel_major") == 300);
    }

    @Test
    void aDriverThatComesLaterIsFound(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.without("nvml.simulate")
                .with("host.driverRoot", world.directory().resolve("driver").toString())
                .startRegistered(world.launch());
        assertThat(world.metric(agent, "imex_agent_findings{code=\"driver-absent\""))
                .isEqualTo(1);

        FakeNvmlLibrary.compile(world.directory().resolve("driver"));

        world.awaitPrepared(agent, workload);
    }

    @Test
    void theCliqueIsFollowedByClaimsAndByTheNodesLabel(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        FakeNvmlLibrary driver = world.driver();
        driver.write(TrayPreset.FABRIC_IN_PROGRESS);
        AgentProcess agent = world.with("publication.cliqueLabel", "true").startServing();
        assertThat(World.refusal(world.prepare(workload))).contains("[fabric_not_ready]");

        driver.write(TrayPreset.GB200);
        world.awaitPrepared(agent, workload);
        agent.awaitTrue("the label", () -> !label(world).isEmpty());
        String first = label(world);

        UUID cluster = UUID.fromString(first.substring(0, first.lastIndexOf('.')));
        driver.write(driver.tray().withEveryGpu(gpu -> gpu.withFabric(SimulatedFabric.healthy(cluster, 7))));
        agent.awaitTrue("the new clique", () -> !label(world).equals(first));
        assertThat(label(world)).isEqualTo(cluster + ".7");

        driver.write(TrayPreset.NO_FABRIC);
        agent.awaitTrue("no clique", () -> label(world).isEmpty());
        ClaimedPod next = world.schedule(2);
        world.awaitUnprepared(agent, workload);
        assertThat(World.refusal(world.prepare(next)))
                .contains("host-managed IMEX requires an NVLink clique on this node", "[no_clique]");
        assertThat(world.slices()).hasSize(1);
    }

    @Test
    void withoutACliqueDevicesAreWithheldWhereTheConfigurationSaysSo(World world) throws Exception {
        world.driver().write(TrayPreset.NO_FABRIC);

        AgentProcess agent = world.with("publication.withoutClique", "false").startRegistered(world.launch());

        agent.awaitTrue("the finding", () -> world.metric(agent, "imex_agent_findings{code=\"clique-none\"") == 1);
        assertThat(world.slices()).isEmpty();
    }

    @Test
    void aHangingDriverBlocksNothingButItself(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        FakeNvmlLibrary driver = world.driver();
        driver.write(TrayPreset.HANGING);
        AgentProcess agent = world.with("nvml.deadline", "200ms").startServing();

        assertThat(World.refusal(world.prepare(workload))).contains("[fabric_not_ready]");
        assertThat(world.get(agent, "/healthz")).startsWith("200");
        assertThat(world.unprepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);

        driver.write(TrayPreset.GB200);
        world.awaitPrepared(agent, workload);
    }

    @Test
    void aLibraryThatHangsAsItIsLoadedHoldsUpNeitherTheStartNorTheReloadNorTheEnd(World world) throws Exception {
        Path root = world.directory().resolve("driver");
        FakeNvmlLibrary.compileHangingOnLoad(root);
        world.without("nvml.simulate").with("host.driverRoot", root.toString());
        try (ServiceManagerDouble manager = ServiceManagerDouble.listen(world.directory())) {
            AgentProcess agent = world.startRegistered(manager.notified(world.launch()));
            manager.await(
                    agent,
                    message -> message.contains("READY=1") && message.contains("STATUS=driver does not answer, "));
            agent.awaitTrue(
                    "the finding", () -> world.metric(agent, "imex_agent_findings{code=\"driver-library-hangs\"") == 1);

            agent.hangUp();
            manager.await(agent, message -> message.startsWith("RELOADING=1"));
            manager.await(
                    agent,
                    message -> message.startsWith("READY=1") && message.contains("STATUS=driver does not answer, "));
            assertThat(world.unprepare(world.schedule(1))).isInstanceOf(ClaimResult.ClaimDone.class);
            assertThat(ProcessHandle.of(agent.pid()).orElseThrow().children().filter(LateDriverIT::tries))
                    .as("processes that try the library")
                    .hasSizeLessThanOrEqualTo(1);

            FakeNvmlLibrary.compile(root);
            world.awaitPrepared(agent, world.schedule(2));
            assertThat(agent.terminate()).isZero();
        }
    }

    @Test
    void anAgentWhoseDriversLibraryHangsAsItIsLoadedEndsInOrder(World world) throws Exception {
        Path root = world.directory().resolve("driver");
        FakeNvmlLibrary.compileHangingOnLoad(root);
        AgentProcess agent = world.without("nvml.simulate")
                .with("host.driverRoot", root.toString())
                .startServing();
        agent.awaitTrue(
                "the finding", () -> world.metric(agent, "imex_agent_findings{code=\"driver-library-hangs\"") == 1);

        assertThat(agent.terminate()).isZero();
    }

    /** A shell that does nothing; beside it the agent asks nvidia-imex how it is. */
    private static boolean tries(ProcessHandle child) {
        return child.isAlive()
                && child.info()
                        .arguments()
                        .filter(arguments -> List.of(arguments).equals(List.of("-c", ":")))
                        .isPresent();
    }

    private static String label(World world) {
        return world.api()
                .get(ResourceType.NODES, "", World.NODE)
                .map(node ->
                        node.path("metadata").path("labels").path(CLIQUE_LABEL).asText(""))
                .orElse("");
    }
}
