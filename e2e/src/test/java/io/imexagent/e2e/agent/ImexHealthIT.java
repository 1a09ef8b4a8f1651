package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The watch of nvidia-imex, from the tool to the kubelet, the slices, the metrics and the Events of the node. */
@ExtendWith(Worlds.class)
class ImexHealthIT {

    @Test
    void aLostNodeAndADeadDomainReachKubeletMetricsReadinessAndEvents(World world) throws Exception {
        AgentProcess agent = world.with("imex.health.interval", "1s").startServing();
        awaitDevice(world, agent, "HEALTHY", "");
        agent.awaitTrue("the domain", () -> world.get(agent, "/readyz").contains("IMEX domain UP 2/2"));

        world.host().imex().domain(18, "DEGRADED");
        awaitDevice(world, agent, "HEALTHY", "IMEX domain DEGRADED 17/18: not ready: tray-17");
        agent.awaitTrue(
                "the metrics to follow",
                () -> world.metric(agent, "imex_agent_imex_domain_state{state=\"degraded\"}") == 1
                        && world.metric(agent, "imex_agent_imex_nodes{state=\"ready\"}") == 17);

        world.host().imex().domain(18, "DOWN");
        awaitDevice(world, agent, "UNHEALTHY", "IMEX domain DOWN 17/18");
        agent.awaitTrue("the domain", () -> world.get(agent, "/readyz").matches("(?s)200 .*IMEX domain DOWN.*"));
        assertThat(world.prepare(world.schedule(1)))
                .as("prepare is not gated by default")
                .isInstanceOf(ClaimResult.ClaimDone.class);

        world.host().imex().domain(18, "UP");
        awaitDevice(world, agent, "HEALTHY", "");
        agent.awaitTrue(
                "three events", () -> reasons(world).equals(List.of("ImexDegraded", "ImexDomainDown", "ImexUp")));
        JsonNode event = world.api().list(ResourceType.EVENTS).getFirst();
        assertThat(event.at("/involvedObject/kind").asText()).isEqualTo("Node");
        assertThat(event.at("/involvedObject/name").asText()).isEqualTo(World.NODE);
        assertThat(event.path("type").asText()).isEqualTo("Warning");
        assertThat(event.path("message").asText()).contains("not ready: tray-17");
    }

    @Test
    void theLastEventOfTheNodeIsTrueAgainAfterARestart(World world) throws Exception {
        AgentProcess agent = world.with("imex.health.interval", "1s").startServing();
        awaitDevice(world, agent, "HEALTHY", "");
        world.host().imex().domain(18, "DOWN");
        agent.awaitTrue("an event", () -> reasons(world).equals(List.of("ImexDomainDown")));
        JsonNode event = world.api().list(ResourceType.EVENTS).getFirst();
        assertThat(event.path("action").asText()).isEqualTo("CheckImex");
        assertThat(event.path("reportingComponent").asText()).isEqualTo("imex-agent");
        assertThat(event.path("reportingInstance").asText()).isEqualTo(World.NODE);

        agent.kill();
        world.host().imex().domain(18, "UP");
        AgentProcess second = world.startServing();
        second.awaitTrue(
                "the node's recovery as its last event",
                () -> reasons(world).equals(List.of("ImexDomainDown", "ImexUp")));
    }

    @Test
    void aToolThatHangsIsKilledAndHarmsNothingElse(World world) throws Exception {
        world.host().imex().hanging(true);
        AgentProcess agent = world.with("imex.health.interval", "1s")
                .with("imex.health.timeout", "300ms")
                .startServing();

        awaitDevice(world, agent, "UNKNOWN", "did not end within 300 ms");
        assertThat(world.prepare(world.schedule(1))).isInstanceOf(ClaimResult.ClaimDone.class);
        assertThat(world.get(agent, "/healthz")).startsWith("200");
        assertThat(world.metric(agent, "imex_agent_imex_check_failures_total")).isPositive();

        world.host().imex().hanging(false);
        awaitDevice(world, agent, "HEALTHY", "");
        assertThat(agent.terminate()).isZero();
        assertThat(ProcessHandle.allProcesses()
                        .filter(process -> process.info()
                                .commandLine()
                                .filter(line ->
                                        line.contains(world.host().imex().tool().toString()))
                                .isPresent()))
                .isEmpty();
    }

    @Test
    void aTaintComesAndGoesWithTheDomain(World world) throws Exception {
        AgentProcess agent = world.with("imex.health.interval", "1s")
                .with("imex.health.taint", "true")
                .with("imex.health.taintAfter", "1s")
                .startServing();
        assertThat(taints(world)).isEmpty();

        world.host().imex().daemon("NOT_READY");
        agent.awaitTrue(
                "a taint", () -> taints(world).equals(List.of("imex.nvidia.com/unhealthy=not-ready:NoSchedule")));

        world.host().imex().daemon("READY");
        agent.awaitTrue("no taint", () -> taints(world).isEmpty());
        assertThat(world.slices()).hasSize(1);
    }

    @Test
    void aTaintOutlivesTheAgentWhileTheOutageLasts(World world) throws Exception {
        world.with("imex.health.interval", "1s")
                .with("imex.health.timeout", "300ms")
                .with("imex.health.taint", "true");
        AgentProcess agent = world.with("imex.health.taintAfter", "0s").startServing();
        world.host().imex().daemon("NOT_READY");
        List<String> standing = List.of("imex.nvidia.com/unhealthy=not-ready:NoSchedule");
        agent.awaitTrue("a taint", () -> taints(world).equals(standing));
        long generation = generation(world);

        // Nothing is known of nvidia-imex, and a taint would need an hour to come.
        world.host().imex().hanging(true);
        world.with("imex.health.taintAfter", "1h");
        agent.kill();
        AgentProcess second = world.startServing();
        awaitDevice(world, second, "UNKNOWN", "did not end within");
        assertThat(taints(world)).isEqualTo(standing);
        assertThat(generation(world)).as("nothing was published anew").isEqualTo(generation);

        // The kubelet withdraws the slices of an agent that stays away.
        assertThat(second.terminate()).isZero();
        String slice = world.slices().getFirst().at("/metadata/name").asText();
        world.api().remove(ResourceType.RESOURCE_SLICES, "", slice);
        AgentProcess third = world.startServing();
        assertThat(taints(world)).isEqualTo(standing);

        assertThat(third.terminate()).isZero();
        world.host().imex().hanging(false);
        world.host().imex().daemon("READY");
        AgentProcess last = world.with("imex.health.taintAfter", "1s").startServing();
        last.awaitTrue("no taint", () -> taints(world).isEmpty());
        assertThat(world.host().stateDirectory().resolve("imex-taint")).doesNotExist();
    }

    @Test
    void aGatedClaimWaitsForTheDaemonAndAPreparedOneIsAnswered(World world) throws Exception {
        AgentProcess agent = world.with("imex.health.interval", "1s")
                .with("imex.health.gatePrepare", "true")
                .startServing();
        ClaimedPod first = world.schedule(1);
        world.awaitPrepared(agent, first);

        world.host().imex().daemon("NOT_READY");
        agent.awaitTrue("readiness to fail", () -> world.get(agent, "/readyz").startsWith("503"));
        assertThat(world.prepare(first)).isInstanceOf(ClaimResult.ClaimDone.class);
        world.awaitUnprepared(agent, first);
        assertThat(World.refusal(world.prepare(world.schedule(2))))
                .contains("[imex_not_ready]", "nvidia-imex NOT_READY");

        world.host().imex().daemon("READY");
        world.awaitPrepared(agent, world.schedule(3));
    }

    @Test
    void anAgentThatServesAndACommandReadAndTouchNothingOfNvidiaImex(World world) throws Exception {
        Path etc = world.host().root().resolve("etc/nvidia-imex");
        Map<String, String> before = files(etc);
        AgentProcess agent = world.with("imex.health.interval", "1s").startServing();
        awaitDevice(world, agent, "HEALTHY", "");
        for (String active : List.of("activating", "failed", "inactive")) {
            world.host().imex().unit("loaded", active);
            world.host().imex().dead();
            agent.hangUp();
            Thread.sleep(1500);
        }
        world.host().imex().daemon("READY");
        world.host().imex().unit("loaded", "active");

        JsonNode verdict = health(world, 0).at("/verdict");
        assertThat(verdict.path("summary").asText()).isEqualTo("IMEX domain UP 2/2");
        assertThat(agent.terminate()).isZero();

        assertThat(files(etc)).isEqualTo(before);
        assertThat(world.host().imex().calls())
                .isNotEmpty()
                .allMatch(call -> call.matches("systemctl show --property=[A-Za-z,]+ -- nvidia-imex\\.service"
                        + "|nvidia-imex-ctl -c /etc/nvidia-imex/config\\.cfg (-q|-N|-N -j)"));
    }

    @Test
    void theCommandTellsTheStatesApartByItsExitCode(World world) throws Exception {
        health(world, 0);
        world.host().imex().domain(2, "DEGRADED");
        assertThat(health(world, 3).at("/domain/missing/0").asText()).isEqualTo("tray-1");
        world.host().imex().domain(2, "DOWN");
        health(world, 1);
        world.host().imex().unit("masked", "inactive");
        assertThat(health(world, 1).at("/daemon/state").asText()).isEqualTo("masked");
        world.with("nvml.simulate", "no-gpu");
        assertThat(health(world, 0).at("/daemon/state").asText()).isEqualTo("not_applicable");
        world.with("nvml.simulate", "gb200").with("featureGates.HostManagedIMEX", "false");
        health(world, 0);
        world.with("featureGates.HostManagedIMEX", "true");
        world.host().imex().uninstall();
        assertThat(health(world, 1).at("/daemon/state").asText()).isEqualTo("not_installed");
    }

    private static JsonNode health(World world, int exitCode) throws IOException, InterruptedException {
        Path file = world.settings().write(world.directory().resolve("health.yaml"));
        try (AgentProcess command = AgentLaunch.command("health", "-o", "json", "--config", file.toString())
                .start()) {
            assertThat(command.awaitExit()).as(String.join("\n", command.log())).isEqualTo(exitCode);
            String text = String.join("\n", command.log());
            return new ObjectMapper().readTree(text.substring(text.indexOf("\n{") < 0 ? 0 : text.indexOf("\n{")));
        }
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

    private static List<String> taints(World world) {
        return world.slices().stream()
                .flatMap(slice -> stream(slice.at("/spec/devices")))
                .flatMap(device -> stream(device.path("taints")))
                .map(taint ->
                        taint.path("key").asText() + "=" + taint.path("value").asText() + ":"
                                + taint.path("effect").asText())
                .toList();
    }

    private static long generation(World world) {
        return world.slices().getFirst().at("/spec/pool/generation").asLong();
    }

    private static List<String> reasons(World world) {
        return world.api().list(ResourceType.EVENTS).stream()
                .map((ObjectNode event) -> event.path("metadata").path("name").asText() + " "
                        + event.path("reason").asText())
                .sorted()
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .toList();
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return array.valueStream();
    }

    private static Map<String, String> files(Path folder) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> found = Files.walk(folder)) {
            for (Path file : found.filter(Files::isRegularFile).toList()) {
                files.put(file.toString(), Files.getLastModifiedTime(file) + " " + Files.readString(file));
            }
        }
        return files;
    }
}
