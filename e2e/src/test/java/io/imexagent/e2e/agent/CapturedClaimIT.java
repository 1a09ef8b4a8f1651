package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The objects of a real cluster that ran the public driver, on a host like that one. */
@ExtendWith(Worlds.class)
class CapturedClaimIT {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final Path CAPTURED = Checkout.find().root().resolve("e2e/src/test/resources/real-cluster");
    private static final KubeletClaimRequest CLAIM = new KubeletClaimRequest(
            World.NAMESPACE, "imex-channel-injection-imex-channel-0-j8kfx", "7f3c0156-3566-44cf-a6f8-8acd6bcbbf17");
    private static final String CDI_DEVICE = "k8s.compute-domain.nvidia.com/claim=" + CLAIM.uid() + "-channel-0";

    @Test
    void isPublishedPreparedAndUnpreparedAsCaptured(World world) throws Exception {
        asCaptured(world);
        AgentProcess agent = world.startServing();

        JsonNode published = world.slices().getFirst().path("spec").deepCopy();
        assertThat(((ObjectNode) published.at("/devices/0/attributes")).remove("clique"))
                .as("what the public driver does not say")
                .isNotNull();
        assertThat(published)
                .isEqualTo(read("resourceslice.yaml").path("items").get(0).path("spec"));

        ClaimResult prepared = world.kubelet().prepare(CLAIM);

        assertThat(prepared)
                .isEqualTo(new ClaimResult.ClaimDone(List.of(new ClaimResult.ClaimDevice(
                        List.of("channel"), World.NODE, "channel-0", List.of(CDI_DEVICE), Optional.empty()))));
        Path spec = world.host().cdiDirectory().resolve("k8s.compute-domain.nvidia.com-claim_" + CLAIM.uid() + ".yaml");
        assertThat(YAML.readTree(spec.toFile())).isEqualTo(read("cdi-claim.yaml"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(spec)))
                .isEqualTo("rw-r--r--");
        assertThat(world.checkpoint()).isEqualTo(Files.readString(CAPTURED.resolve("checkpoint.json")));

        assertThat(world.kubelet().unprepare(CLAIM)).isEqualTo(new ClaimResult.ClaimDone(List.of()));

        assertThat(world.host().cdiFiles()).isEmpty();
        assertThat(world.checkpoint()).doesNotContain(CLAIM.uid()).contains("\"nodeBootID\"");
        assertThat(agent.isAlive()).isTrue();
    }

    @Test
    void isAdoptedFromTheCheckpointOfThePublicDriver(World world) throws Exception {
        asCaptured(world);
        Files.createDirectories(world.host().pluginDirectory());
        Files.copy(CAPTURED.resolve("checkpoint.json"), world.host().checkpoint());

        world.startServing();

        assertThat(world.host().cdiFiles(CLAIM.uid())).hasSize(1);
        world.api().goAway();
        assertThat(world.kubelet().prepare(CLAIM)).isInstanceOf(ClaimResult.ClaimDone.class);
        assertThat(world.kubelet().unprepare(CLAIM)).isInstanceOf(ClaimResult.ClaimDone.class);
        assertThat(world.host().cdiFiles()).isEmpty();
    }

    @Test
    void movesMetricsReadinessAndDeviceHealth(World world) throws Exception {
        asCaptured(world);
        AgentProcess agent = world.startServing();
        assertThat(world.metric(agent, "nvidia_dra_requests_total{")).isZero();

        world.kubelet().prepare(CLAIM);
        world.kubelet().unprepare(CLAIM);

        assertThat(world.metric(agent, "nvidia_dra_requests_total{")).isEqualTo(2);
        agent.awaitTrue("readiness", () -> world.get(agent, "/readyz").startsWith("200"));
        assertThat(world.get(agent, "/healthz")).startsWith("200");
        assertThat(world.get(agent, "/inventory")).startsWith("200").contains("NVIDIA GB200");
        agent.awaitTrue(
                "health of channel-0",
                () -> world.kubelet().health().stream()
                        .flatMap(report -> report.devices().stream())
                        .anyMatch(device -> device.device().equals("channel-0")
                                && device.health().equals("HEALTHY")));
    }

    private static void asCaptured(World world) throws IOException {
        world.host().channelMajor(234);
        world.host().bootId("f87f843e-96a2-4457-b9f7-a77c468fcaff");
        for (String file : List.of("deviceclass", "computedomain", "resourceclaimtemplate-by-controller")) {
            world.api().apply(CAPTURED.resolve(file + ".yaml"));
        }
        ObjectNode pod = Fixtures.pod(
                World.NAMESPACE,
                "imex-channel-injection",
                "4b96b9b1-227b-47f2-88eb-a159763bfe68",
                World.NODE,
                CLAIM.name());
        world.api().apply(pod);
        world.api().apply(CAPTURED.resolve("resourceclaim-allocated.yaml"));
    }

    private static JsonNode read(String file) throws IOException {
        return YAML.readTree(CAPTURED.resolve(file).toFile());
    }
}
