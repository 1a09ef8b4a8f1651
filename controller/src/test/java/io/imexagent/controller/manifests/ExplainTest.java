package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Gates;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.Lifecycle;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What tools and people are told by the definitions: {@code kubectl explain}, columns, short names, conditions. */
class ExplainTest {

    /** Short names that kinds of Kubernetes and of others have; kubectl takes one of them without a word. */
    private static final Set<String> TAKEN = Set.of(
            "cd", "cdom", "cj", "cm", "crd", "cs", "csr", "deploy", "ds", "ep", "ev", "hpa", "ing", "ip", "limits",
            "netpol", "no", "ns", "nv", "pc", "pdb", "po", "pv", "pvc", "quota", "rc", "rs", "sa", "sc", "sts", "svc",
            "vac");

    private final Lifecycle server = new Lifecycle(Clock.systemUTC(), new Random(1), () -> Gates.ALL_ON);

    private static JsonNode definition(ResourceType type) {
        return Cluster.object(Cluster.SHARED, "CustomResourceDefinition", type.plural() + "." + type.group())
                .path("spec");
    }

    private static JsonNode version(ResourceType type) {
        return definition(type).at("/versions/0");
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPUTE_DOMAINS", "NVLINK_NODES", "NVLINK_CLIQUES", "FABRIC_TESTS"})
    void everyFieldIsExplained(ResourceType type) {
        JsonNode schema = version(type).at("/schema/openAPIV3Schema");
        List<String> unexplained = new ArrayList<>();
        int fields = unexplained(schema, "", unexplained);

        // A definition that says anything of metadata beyond its type is refused; the server explains it itself.
        assertThat(unexplained).containsExactly(".metadata");
        assertThat(schema.at("/properties/metadata")).isEqualTo(Json.literal("{\"type\":\"object\"}"));
        assertThat(schema.path("description").asText()).endsWith(".");
        assertThat(fields).isGreaterThan(10);
    }

    private static int unexplained(JsonNode schema, String path, List<String> found) {
        int fields = 0;
        for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
            String name = path + "." + field.getKey();
            if (!field.getValue().path("description").asText("").matches("(?s)[A-Z].{8,}[.]")) {
                found.add(name);
            }
            fields += 1 + unexplained(field.getValue(), name, found);
        }
        return fields + (schema.has("items") ? unexplained(schema.path("items"), path + "[]", found) : 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPUTE_DOMAINS", "NVLINK_NODES", "NVLINK_CLIQUES", "FABRIC_TESTS"})
    void columnsAreExplainedAndShowFieldsThatAreThere(ResourceType type) {
        JsonNode columns = version(type).path("additionalPrinterColumns");
        assertThat(columns).isNotEmpty();
        for (JsonNode column : columns) {
            assertThat(column.path("description").asText())
                    .as(column.toString())
                    .endsWith(".");
            JsonNode schema = version(type).at("/schema/openAPIV3Schema");
            String path = column.path("jsonPath").asText();
            if (path.startsWith(".metadata.")) {
                continue;
            }
            for (String step :
                    path.substring(1).replaceAll("\\[[^]]*]", ".items").split("\\.", -1)) {
                schema = step.equals("items") ? schema.path(step) : schema.at("/properties/" + step);
            }
            assertThat(schema.isMissingNode()).as(path).isFalse();
        }
    }

    @Test
    void shortNamesAreNobodyElses() {
        List<String> all = new ArrayList<>();
        for (ResourceType type : List.of(
                ResourceType.COMPUTE_DOMAINS,
                ResourceType.NVLINK_NODES,
                ResourceType.NVLINK_CLIQUES,
                ResourceType.FABRIC_TESTS)) {
            definition(type).at("/names/shortNames").forEach(name -> all.add(name.asText()));
            assertThat(definition(type).at("/names/categories").valueStream().map(JsonNode::asText))
                    .containsExactly("imex");
        }
        assertThat(all).containsExactly("compd", "nvln", "nvlc", "fabt").doesNotContainAnyElementsOf(TAKEN);
    }

    private static ObjectNode status(String condition) {
        return Json.literal("""
            {"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain",
             "metadata":{"name":"train","namespace":"team","uid":"u","generation":1},
             "spec":{"numNodes":0,"channel":{"allocationMode":"Single","resourceClaimTemplate":{"name":"channel"}}},
             "status":{"status":"Ready","conditions":[%s]}}""".formatted(condition));
    }

    private static ObjectNode ready() {
        return Json.literal("""
            {"type":"Ready","status":"True","observedGeneration":1,"lastTransitionTime":"2026-07-28T08:00:00Z",
             "reason":"TemplateReady","message":""}""");
    }

    private boolean takes(ObjectNode domain) {
        try {
            ObjectNode sent = domain.deepCopy();
            server.fit(ResourceType.COMPUTE_DOMAINS, sent);
            server.updateStatus(ResourceType.COMPUTE_DOMAINS, domain, sent);
            return true;
        } catch (StatusException refusal) {
            assertThat(refusal.code()).isEqualTo(422);
            return false;
        }
    }

    @Test
    void aConditionIsOneOfKubernetesAndNothingOfItIsDropped() {
        ObjectNode domain = status(ready().toString());
        ObjectNode kept = domain.deepCopy();

        assertThat(server.fit(ResourceType.COMPUTE_DOMAINS, kept)).isEmpty();
        assertThat(kept).isEqualTo(domain);
        assertThat(takes(domain)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"type", "status", "lastTransitionTime", "reason", "message"})
    void aConditionIsWhole(String field) {
        ObjectNode condition = ready();
        condition.remove(field);

        assertThat(takes(status(condition.toString()))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "type, Not ready",
        "status, true",
        "lastTransitionTime, yesterday",
        "reason, ''",
        "reason, no template",
        "reason, 'Trailing:'"
    })
    void aConditionIsWellFormed(String field, String value) {
        assertThat(takes(status(ready().put(field, value).toString()))).isFalse();
    }

    @Test
    void conditionsAreBoundedAndEachIsThereOnce() {
        assertThat(takes(status(ready() + "," + ready()))).isFalse();
        ObjectNode many = status("");
        for (int i = 0; i < 9; i++) {
            ((ArrayNode) many.at("/status/conditions")).add(ready().put("type", "Ready" + i));
        }
        assertThat(takes(many)).isFalse();
        ((ArrayNode) many.at("/status/conditions")).remove(8);
        assertThat(takes(many)).isTrue();
        assertThat(takes(status(ready().put("message", "x".repeat(32769)).toString())))
                .isFalse();
        assertThat(takes(status(ready().put("observedGeneration", -1).toString())))
                .isFalse();
    }
}
