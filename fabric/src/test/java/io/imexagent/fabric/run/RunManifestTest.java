package io.imexagent.fabric.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.gson.JsonParser;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.fabric.rank.RankSettings;
import io.imexagent.fabric.run.RunRequest.GpuRequest;
import io.imexagent.kubernetes.clique.FabricLevel;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1ResourceClaimTemplate;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RunManifestTest {

    private static final String TOKEN = "ab".repeat(32);

    @Test
    void everyObjectHasTheFieldsOfTheApiAndNoOthers() throws IOException {
        for (ObjectNode object : objects(new GpuRequest.GpuClass("gpu.nvidia.com", 4))) {
            var json = JsonParser.parseString(object.toString());
            switch (object.path("kind").asText()) {
                case "Job" -> V1Job.validateJsonElement(json);
                case "Service" -> V1Service.validateJsonElement(json);
                case "Secret" -> V1Secret.validateJsonElement(json);
                case "NetworkPolicy" -> V1NetworkPolicy.validateJsonElement(json);
                case "ResourceClaimTemplate" -> V1ResourceClaimTemplate.validateJsonElement(json);
                default -> assertThat(object.path("kind").asText()).isEqualTo("ComputeDomain");
            }
        }
    }

    @Test
    void theDoubleOfTheApiServerTakesEveryObject() throws IOException {
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions())) {
            for (ObjectNode object : objects(new GpuRequest.GpuClass("gpu.nvidia.com", 4))) {
                ObjectNode stored = api.create(object.deepCopy());
                String spec = object.path("kind").asText().equals("ResourceClaimTemplate") ? "/spec/spec" : "/spec";
                assertThat(stored.at(spec).toString()).isEqualTo(object.at(spec).toString());
            }
        }
    }

    /** By the rules of the standard, https://kubernetes.io/docs/concepts/security/pod-security-standards/. */
    @Test
    void podsKeepToThePodSecurityStandardRestricted() {
        for (GpuRequest gpus : List.of(
                new GpuRequest.GpuClass("gpu.nvidia.com", 1), new GpuRequest.GpuResource("nvidia.com/gpu", 1))) {
            JsonNode pod = pod(gpus);
            for (String field : List.of("hostNetwork", "hostPID", "hostIPC", "hostUsers")) {
                assertThat(pod.has(field)).as(field).isFalse();
            }
            assertThat(pod.path("volumes"))
                    .allSatisfy(volume -> assertThat(volume.has("secret")).isTrue());
            assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
            assertThat(pod.at("/securityContext/runAsUser").asInt()).isPositive();
            assertThat(pod.at("/securityContext/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
            assertThat(pod.path("containers")).hasSize(1).allSatisfy(container -> {
                JsonNode security = container.path("securityContext");
                assertThat(security.path("allowPrivilegeEscalation").asBoolean(true))
                        .isFalse();
                assertThat(security.path("privileged").asBoolean(false)).isFalse();
                assertThat(security.path("readOnlyRootFilesystem").asBoolean()).isTrue();
                assertThat(security.at("/capabilities/drop/0").asText()).isEqualTo("ALL");
                assertThat(security.at("/capabilities/add").isMissingNode()).isTrue();
                assertThat(container.path("ports"))
                        .allSatisfy(port -> assertThat(port.has("hostPort")).isFalse());
            });
            assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
        }
    }

    @Test
    void aPodStandsOnEachNodeAndIsTriedOnce() {
        JsonNode job = job(new GpuRequest.GpuResource("nvidia.com/gpu", 2));

        assertThat(job.at("/spec/completions").asInt()).isEqualTo(3);
        assertThat(job.at("/spec/parallelism").asInt()).isEqualTo(3);
        assertThat(job.at("/spec/completionMode").asText()).isEqualTo("Indexed");
        assertThat(job.at("/spec/backoffLimitPerIndex").asInt(-1)).isZero();
        assertThat(job.at("/spec/activeDeadlineSeconds").asInt()).isEqualTo(600);
        assertThat(job.at("/spec/template/spec/containers/0/terminationMessagePolicy")
                        .asText())
                .isEqualTo("FallbackToLogsOnError");
        assertThat(job.at("/spec/template/spec/runtimeClassName").asText()).isEqualTo("nvidia");
        JsonNode affinity = job.at("/spec/template/spec/affinity");
        assertThat(affinity.at("/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms"))
                .extracting(term -> term.at("/matchFields/0/values/0").asText())
                .containsExactly("tray-1", "tray-2", "tray-3");
        assertThat(affinity.at("/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/topologyKey")
                        .asText())
                .isEqualTo("kubernetes.io/hostname");
        assertThat(job.at("/spec/template/spec/containers/0/resources/limits/nvidia.com~1gpu")
                        .asText())
                .isEqualTo("2");
    }

    @Test
    void podsSpeakWithEachOtherAndWithDnsAlone() {
        ObjectNode policy = of("NetworkPolicy", new GpuRequest.GpuResource("nvidia.com/gpu", 1));

        assertThat(policy.at("/spec/policyTypes").toString()).isEqualTo("[\"Ingress\",\"Egress\"]");
        assertThat(policy.at("/spec/ingress")).hasSize(1);
        assertThat(policy.at("/spec/egress")).hasSize(2);
        assertThat(policy.at("/spec/egress/1/ports"))
                .allSatisfy(port -> assertThat(port.path("port").asInt()).isEqualTo(53));
    }

    @Test
    void theEnvironmentIsThatOfARank() throws IOException {
        Map<String, String> environment = new HashMap<>(Map.of("JOB_COMPLETION_INDEX", "2"));
        pod(new GpuRequest.GpuResource("nvidia.com/gpu", 2))
                .at("/containers/0/env")
                .forEach(variable -> environment.put(
                        variable.path("name").asText(), variable.path("value").asText()));

        RankSettings settings = RankSettings.of(environment);

        assertThat(settings.rank()).isEqualTo(2);
        assertThat(settings.ranks()).isEqualTo(3);
        assertThat(settings.level()).isEqualTo(FabricLevel.MAP);
        assertThat(settings.gpus()).isEqualTo(2);
        assertThat(settings.gather()).isEqualTo(Duration.ofMinutes(3));
        String name = job(new GpuRequest.GpuResource("nvidia.com/gpu", 1))
                .at("/metadata/name")
                .asText();
        assertThat(settings.hostOf(1)).isEqualTo(name + "-1." + name);
    }

    @Test
    void namesAndLabelsAreOnesOfTheApi() {
        for (ObjectNode object : objects(new GpuRequest.GpuClass("gpu.nvidia.com", 1))) {
            assertThat(object.at("/metadata/name").asText()).matches("[a-z]([-a-z0-9]{0,60}[a-z0-9])?");
            assertThat(object.at("/metadata/labels"))
                    .allSatisfy(label ->
                            assertThat(label.asText()).matches("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"));
        }
    }

    private static JsonNode job(GpuRequest gpus) {
        return of("Job", gpus);
    }

    private static JsonNode pod(GpuRequest gpus) {
        return job(gpus).at("/spec/template/spec");
    }

    private static ObjectNode of(String kind, GpuRequest gpus) {
        return objects(gpus).stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .findFirst()
                .orElseThrow();
    }

    private static List<ObjectNode> objects(GpuRequest gpus) {
        return new RunManifest(new RunRequest(
                        "0123456789ab",
                        "ada@login",
                        Instant.EPOCH,
                        "default",
                        new CliqueId("2a5b6f4c-1111-2222-3333-444444444444.4294967295"),
                        List.of("tray-1", "tray-2", "tray-3"),
                        "registry.example/imex-agent:0.2.0",
                        gpus,
                        FabricLevel.MAP,
                        Duration.ofMinutes(10),
                        Optional.of("nvidia")))
                .objects(TOKEN);
    }
}
