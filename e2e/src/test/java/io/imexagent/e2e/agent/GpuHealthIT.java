package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice.RecoveryAction;
import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.SickGpus;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What GPUs report of themselves, with a compiled library in NVML's place. */
@ExtendWith(Worlds.class)
class GpuHealthIT {

    private static final String LISTENING = "imex_agent_gpu_events_heard";

    @Test
    void anXidMakesDevicesUnhealthyUntilTheGpuNeedsNoRecovery(World world) throws Exception {
        FakeNvmlLibrary driver = driver(world);
        AgentProcess agent = world.startServing();
        agent.awaitTrue("events to be heard", () -> world.metric(agent, LISTENING) == 1);
        awaitDevice(world, agent, "HEALTHY", "");

        driver.write(driver.tray()
                .withGpu(
                        1,
                        gpu -> SickGpus.withRecoveryAction(
                                gpu, Optional.of(Numbered.of(RecoveryAction.DRAIN_AND_RESET)))));
        driver.emit(1, EventType.XID, 79);
        driver.emit(0, EventType.XID, 31);

        awaitDevice(world, agent, "UNHEALTHY", "): asks to be recovered: drain and reset");
        agent.awaitTrue(
                "both Xids to be counted",
                () -> world.metric(agent, "imex_agent_gpu_xid_errors_total{gpu=\"1\",xid=\"79\"}") == 1
                        && world.metric(agent, "imex_agent_gpu_xid_errors_total{gpu=\"0\",xid=\"31\"}") == 1);
        assertThat(world.metric(agent, "imex_agent_gpu_recovery_action{action=\"drain_and_reset\",gpu=\"1\"}"))
                .isEqualTo(1);

        driver.write(TrayPreset.GB200);
        awaitDevice(world, agent, "HEALTHY", "");

        for (JsonNode document : List.of(json(world.get(agent, "/inventory")), probe(world))) {
            assertThat(document.at("/xids/heard").findValuesAsText("xid")).containsExactly("79", "31");
            assertThat(document.at("/xids/heard").findValuesAsText("gpu")).containsExactly("1", "0");
            assertThat(document.at("/xids/heard").findValuesAsText("of")).containsExactly("gpu", "program");
        }
        assertThat(agent.terminate()).isZero();
        assertThat(probe(world).at("/xids/heard/0/count").asInt())
                .as("what was heard outlives the agent")
                .isEqualTo(1);
    }

    @Test
    void everyBitOfTheHealthMaskIsToldByItsName(World world) throws Exception {
        FakeNvmlLibrary driver = driver(world);
        driver.write(masked(0x1A9));
        AgentProcess agent = world.startServing();

        awaitDevice(world, agent, "HEALTHY", "): degraded bandwidth");
        assertThat(world.get(agent, "/metrics"))
                .contains(
                        "imex_agent_gpu_fabric_health{bit=\"degraded_bandwidth\",gpu=\"0\",value=\"yes\"} 1",
                        "imex_agent_gpu_fabric_health{bit=\"degraded_bandwidth\",gpu=\"1\",value=\"no\"} 1",
                        "imex_agent_gpu_fabric_health{bit=\"route_unhealthy\",gpu=\"0\",value=\"no\"} 1",
                        "imex_agent_gpu_fabric_overall_health{gpu=\"0\",summary=\"healthy\"} 1");

        driver.write(masked(0x5AA));
        awaitDevice(world, agent, "UNHEALTHY", "): reports of its fabric: incorrect configuration: too few nvlinks");
    }

    @Test
    void aGpuOutsideTheFabricEndsHealthAndNoClaimOfTheOthers(World world) throws Exception {
        driver(world).write(TrayPreset.GPU_OUTSIDE_FABRIC);
        AgentProcess agent = world.startServing();

        awaitDevice(world, agent, "UNHEALTHY", "GPU 2 (0018:06:00.0, ");
        assertThat(world.metric(agent, "imex_agent_findings{code=\"gpu-outside-fabric\",severity=\"critical\"}"))
                .isEqualTo(1);
        assertThat(json(world.get(agent, "/inventory")).at("/clique/outside/0").asInt())
                .isEqualTo(2);
        assertThat(world.prepare(world.schedule(1))).isInstanceOf(ClaimResult.ClaimDone.class);
    }

    @Test
    void aGpuThatNvmlDoesNotListEndsHealthUntilItIsBack(World world) throws Exception {
        FakeNvmlLibrary driver = driver(world);
        driver.write(driver.tray().withGpus(driver.tray().gpus().subList(0, 3)));
        AgentProcess agent = world.startServing();

        awaitDevice(world, agent, "UNHEALTHY", "GPU at 0019:06:00.0 (10de:2941) is on the PCI bus");

        driver.write(TrayPreset.GB200);
        awaitDevice(world, agent, "HEALTHY", "");
    }

    @Test
    void whatIsDegradedIsUnhealthyWhereTheOperatorWantsThat(World world) throws Exception {
        driver(world).write(masked(0x1A9));
        AgentProcess agent = world.with("deviceHealth.degraded", "unhealthy").startServing();

        awaitDevice(world, agent, "UNHEALTHY", "): degraded bandwidth");
    }

    @Test
    void aDriverThatHangsInItsEventsHangsNothingElse(World world) throws Exception {
        FakeNvmlLibrary driver = driver(world);
        AgentProcess agent = world.startServing();
        agent.awaitTrue("events to be heard", () -> world.metric(agent, LISTENING) == 1);

        driver.write(driver.tray().withHanging(NvmlCall.EVENT_SET_WAIT));
        Thread.sleep(3000);

        assertThat(world.prepare(world.schedule(1))).isInstanceOf(ClaimResult.ClaimDone.class);
        assertThat(world.get(agent, "/healthz")).startsWith("200");
        assertThat(agent.terminate()).isZero();
    }

    @Test
    void theDriverIsLetGoOnHangUpAndNeverHeldByAnAgentThatOnlyObserves(World world) throws Exception {
        driver(world);
        world.with("inventory.interval", "1h");
        AgentProcess agent = world.startServing();
        agent.awaitTrue("events to be heard", () -> world.metric(agent, LISTENING) == 1);
        assertThat(holdsDriver(agent)).isTrue();

        world.with("nvml.events", "false").settings().write(world.directory().resolve("config.yaml"));
        agent.hangUp();

        agent.awaitTrue("the driver to be let go", () -> world.metric(agent, LISTENING) == 0 && !holdsDriver(agent));
        assertThat(agent.terminate()).isZero();

        world.with("nvml.events", "true").with("featureGates.HostManagedIMEX", "false");
        AgentProcess observer = world.start(world.launch());
        observer.awaitTrue("the GPUs to be read", () -> world.metric(observer, "imex_agent_gpus{") == 4);
        observer.awaitTrue("the reading to end", () -> !holdsDriver(observer));
        assertThat(world.metric(observer, LISTENING)).isZero();
    }

    @Test
    void anAgentThatOnlyObservesHearsXidsWhereTheOperatorWantsThat(World world) throws Exception {
        FakeNvmlLibrary driver = driver(world);
        world.with("featureGates.HostManagedIMEX", "false");
        AgentProcess agent = world.start(world.launch());
        agent.awaitTrue("the GPUs to be read", () -> world.metric(agent, "imex_agent_gpus{") == 4);
        assertThat(probe(world).has("xids")).as("nobody has listened").isFalse();

        world.with("nvml.eventsWhileObserving", "true")
                .settings()
                .write(world.directory().resolve("config.yaml"));
        agent.hangUp();
        agent.awaitTrue("events to be heard", () -> world.metric(agent, LISTENING) == 1);
        driver.emit(2, EventType.XID, 48);

        agent.awaitTrue(
                "the Xid", () -> world.metric(agent, "imex_agent_gpu_xid_errors_total{gpu=\"2\",xid=\"48\"}") == 1);
        assertThat(probe(world).at("/xids/heard/0/xid").asInt()).isEqualTo(48);
        assertThat(agent.terminate()).isZero();
    }

    private static JsonNode probe(World world) throws IOException, InterruptedException {
        Path file = world.settings().write(world.directory().resolve("probe.yaml"));
        try (AgentProcess command = AgentLaunch.command("probe", "-o", "json", "--config", file.toString())
                .start()) {
            assertThat(command.awaitExit()).as(String.join("\n", command.log())).isZero();
            return json(String.join("\n", command.log()));
        }
    }

    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text.substring(text.indexOf('{')));
    }

    /** Whether the agent has the driver's device open, or what stands for it. */
    private static boolean holdsDriver(AgentProcess agent) throws IOException {
        try (Stream<Path> links = Files.list(Path.of("/proc/" + agent.pid() + "/fd"))) {
            for (Path link : links.toList()) {
                try {
                    if (Files.readSymbolicLink(link).endsWith("nvidiactl")) {
                        return true;
                    }
                } catch (NoSuchFileException closed) {
                    // Closed since it was listed.
                }
            }
        }
        return false;
    }

    private static SimulatedTray masked(int mask) {
        return TrayPreset.GB200.tray().withGpu(0, gpu -> SickGpus.withHealth(gpu, mask));
    }

    private static FakeNvmlLibrary driver(World world) {
        FakeNvmlLibrary driver = FakeNvmlLibrary.compile(world.directory().resolve("driver"));
        driver.write(TrayPreset.GB200);
        world.without("nvml.simulate")
                .with("host.driverRoot", driver.driverRoot().toString());
        return driver;
    }

    private static void awaitDevice(World world, AgentProcess agent, String health, String message)
            throws InterruptedException {
        agent.awaitTrue("the device to be " + health + " " + message, () -> {
            List<KubeletEvent.HealthReported> heard = world.kubelet().events(KubeletEvent.HealthReported.class);
            return !heard.isEmpty()
                    && heard.getLast().devices().stream()
                            .anyMatch(device -> device.health().equals(health)
                                    && (message.isEmpty()
                                            ? device.message().isEmpty()
                                            : device.message().contains(message)));
        });
    }
}
