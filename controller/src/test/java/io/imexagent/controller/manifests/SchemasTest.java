package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import java.beans.BeanInfo;
import java.beans.IntrospectionException;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every object against the API's own types (generated from its OpenAPI), and ComputeDomains against our definition. */
class SchemasTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    static Stream<ManifestOptions> all() {
        return Stream.of(Cluster.OFF, Cluster.SHARED, Cluster.ISOLATED);
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyFieldIsOneThatTheApiKnows(ManifestOptions options) throws Exception {
        for (JsonNode object : Cluster.objects(options)) {
            assertThat(unknownFields(object)).isEmpty();
        }
    }

    /** What the API does not know of an object's fields, at any level. */
    static List<String> unknownFields(JsonNode object) throws ReflectiveOperationException {
        try {
            List<String> unknown = new ArrayList<>();
            unknownFields(
                    JSON.treeToValue(object, type(object)), object.path("kind").asText(), unknown);
            return unknown;
        } catch (JsonProcessingException | IntrospectionException e) {
            throw new AssertionError("not as the API has it: " + object, e);
        }
    }

    @Test
    void aMistypedFieldIsFound() throws Exception {
        ObjectNode role =
                Cluster.object(Cluster.SHARED, "ClusterRole", "imex-controller").deepCopy();
        ((ObjectNode) role.path("rules").path(0)).putArray("resourceName").add("x");

        assertThat(unknownFields(role)).singleElement().asString().contains("resourceName");
    }

    private static Class<?> type(JsonNode object) throws ClassNotFoundException {
        if (object.path("apiVersion").asText().equals("monitoring.coreos.com/v1")) {
            return Class.forName("io.fabric8.openshift.api.model.monitoring.v1."
                    + object.path("kind").asText());
        }
        String root = "io.fabric8.kubernetes.api.model.";
        String place = switch (object.path("apiVersion").asText()) {
            case "v1" -> "";
            case "apps/v1" -> "apps.";
            case "policy/v1" -> "policy.v1.";
            case "apiextensions.k8s.io/v1" -> "apiextensions.v1.";
            case "resource.k8s.io/v1" -> "resource.v1.";
            case "rbac.authorization.k8s.io/v1" -> "rbac.";
            case "admissionregistration.k8s.io/v1" -> "admissionregistration.v1.";
            default -> throw new AssertionError("an API version that no cluster of ours needs: " + object);
        };
        return Class.forName(root + place + object.path("kind").asText());
    }

    /** The models keep what they do not know apart, at every level. */
    private static void unknownFields(Object bean, String path, List<String> unknown)
            throws IntrospectionException, ReflectiveOperationException {
        switch (bean) {
            case Collection<?> items -> {
                for (Object item : items) {
                    unknownFields(item, path + "[]", unknown);
                }
            }
            case Map<?, ?> map -> {
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    unknownFields(entry.getValue(), path + "." + entry.getKey(), unknown);
                }
            }
            case KubernetesResource resource -> {
                BeanInfo info = Introspector.getBeanInfo(resource.getClass(), Object.class);
                for (PropertyDescriptor property : info.getPropertyDescriptors()) {
                    Object value = property.getReadMethod() == null
                            ? List.of()
                            : property.getReadMethod().invoke(resource);
                    if (property.getName().equals("additionalProperties") && value instanceof Map<?, ?> extra) {
                        extra.keySet().forEach(key -> unknown.add(path + "." + key));
                    } else if (value != null) {
                        unknownFields(value, path + "." + property.getName(), unknown);
                    }
                }
            }
            default -> {}
        }
    }

    private static JsonSchema definition() {
        JsonNode schema = Cluster.object(
                        Cluster.SHARED, "CustomResourceDefinition", "computedomains.resource.nvidia.com")
                .path("spec")
                .path("versions")
                .path(0)
                .path("schema")
                .path("openAPIV3Schema");
        return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V7).getSchema(schema);
    }

    private static List<String> faults(String json) throws Exception {
        return definition().validate(JSON.readTree(json)).stream()
                .map(Object::toString)
                .toList();
    }

    @Test
    void theCapturedComputeDomainFits() throws Exception {
        assertThat(faults("""
            {"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain",
             "metadata":{"name":"imex-channel-injection","namespace":"default"},
             "spec":{"channel":{"allocationMode":"Single","resourceClaimTemplate":{"name":"imex-channel-0"}},
              "numNodes":1},
             "status":{"status":"Ready"}}\
            """)).isEmpty();
        assertThat(faults("""
            {"spec":{"channel":{"resourceClaimTemplate":{"name":"a"}},"numNodes":0},
             "status":{"status":"Ready",
              "nodes":[{"name":"n","ipAddress":"1.2.3.4","cliqueID":"c.1","index":0,"status":"Ready"}]}}\
            """)).isEmpty();
    }

    @Test
    void whatTheApiMustRefuseDoesNotFit() throws Exception {
        assertThat(faults("{\"spec\":{\"numNodes\":-1,\"channel\":{\"resourceClaimTemplate\":{\"name\":\"a\"}}}}"))
                .hasSize(1);
        assertThat(faults("{\"spec\":{\"numNodes\":0,\"channel\":{\"resourceClaimTemplate\":{}}}}"))
                .hasSize(1);
        assertThat(faults("{\"spec\":{\"numNodes\":0,\"channel\":{\"resourceClaimTemplate\":{\"name\":\""
                        + "a".repeat(254) + "\"}}}}"))
                .hasSize(1);
        assertThat(faults("{\"spec\":{\"numNodes\":0}}")).hasSize(1);
        assertThat(faults("{\"spec\":{\"numNodes\":0,\"channel\":{\"allocationMode\":\"Many\","
                        + "\"resourceClaimTemplate\":{\"name\":\"a\"}}}}"))
                .hasSize(1);
        assertThat(faults("{\"status\":{\"status\":\"Perhaps\"}}")).hasSize(1);
        assertThat(faults("{\"status\":{\"status\":\"Ready\",\"nodes\":\"5\"}}"))
                .hasSize(1);
    }

    @Test
    void theSpecIsImmutableAsAWhole() {
        String rule = Cluster.object(Cluster.SHARED, "CustomResourceDefinition", "computedomains.resource.nvidia.com")
                .at("/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations/0/rule")
                .asText();
        Object one = Policy.value("{\"numNodes\":0,\"channel\":{\"allocationMode\":\"Single\"}}");
        Object other = Policy.value("{\"numNodes\":1,\"channel\":{\"allocationMode\":\"Single\"}}");

        assertThat(Policy.holds(rule, Map.of("self", one, "oldSelf", one))).isTrue();
        assertThat(Policy.holds(rule, Map.of("self", other, "oldSelf", one))).isFalse();
    }
}
