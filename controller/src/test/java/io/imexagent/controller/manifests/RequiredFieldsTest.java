package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.core.policy.Isolation;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the API requires is there, and where it takes one of a few values, it is one of them: all manifests and the
 * examples, against the models that the Kubernetes project generates from the API's OpenAPI definitions.
 */
class RequiredFieldsTest {

    /** Enumerations of the API, which its OpenAPI definitions have as plain strings: kind, path, values. */
    private static final List<Choice> CHOICES = List.of(
            new Choice("CustomResourceDefinition", "spec.scope", Set.of("Cluster", "Namespaced")),
            new Choice(
                    "CustomResourceDefinition",
                    "spec.versions.*.additionalPrinterColumns.*.type",
                    Set.of("integer", "number", "string", "boolean", "date")),
            new Choice("ValidatingAdmissionPolicy", "spec.failurePolicy", Set.of("Fail", "Ignore")),
            new Choice("ValidatingAdmissionPolicy", "spec.matchConstraints.matchPolicy", Set.of("Exact", "Equivalent")),
            new Choice(
                    "ValidatingAdmissionPolicy",
                    "spec.matchConstraints.resourceRules.*.operations.*",
                    Set.of("CREATE", "UPDATE", "DELETE", "CONNECT", "*")),
            new Choice(
                    "ValidatingAdmissionPolicy",
                    "spec.matchConstraints.resourceRules.*.scope",
                    Set.of("*", "Cluster", "Namespaced")),
            new Choice(
                    "ValidatingAdmissionPolicy",
                    "spec.validations.*.reason",
                    Set.of("Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge")),
            new Choice("ValidatingAdmissionPolicyBinding", "spec.validationActions.*", Set.of("Deny", "Warn", "Audit")),
            new Choice("ClusterRoleBinding", "roleRef.kind", Set.of("ClusterRole")),
            new Choice("ClusterRoleBinding", "roleRef.apiGroup", Set.of("rbac.authorization.k8s.io")),
            new Choice("ClusterRoleBinding", "subjects.*.kind", Set.of("User", "Group", "ServiceAccount")),
            new Choice("RoleBinding", "roleRef.kind", Set.of("Role", "ClusterRole")),
            new Choice("RoleBinding", "roleRef.apiGroup", Set.of("rbac.authorization.k8s.io")),
            new Choice("RoleBinding", "subjects.*.kind", Set.of("User", "Group", "ServiceAccount")),
            new Choice("ClusterRole", "rules.*.verbs.*", verbs()),
            new Choice("Role", "rules.*.verbs.*", verbs()),
            new Choice("Deployment", "spec.strategy.type", Set.of("RollingUpdate", "Recreate")),
            new Choice("DaemonSet", "spec.updateStrategy.type", Set.of("RollingUpdate", "OnDelete")),
            new Choice(
                    "PodDisruptionBudget", "spec.unhealthyPodEvictionPolicy", Set.of("IfHealthyBudget", "AlwaysAllow")),
            ofPods("dnsPolicy", "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
            ofPods("tolerations.*.operator", "Exists", "Equal", "Lt", "Gt"),
            ofPods("topologySpreadConstraints.*.whenUnsatisfiable", "DoNotSchedule", "ScheduleAnyway"),
            ofPods("securityContext.seccompProfile.type", "RuntimeDefault", "Unconfined", "Localhost"),
            ofPods("containers.*.imagePullPolicy", "Always", "IfNotPresent", "Never"),
            ofPods("containers.*.startupProbe.httpGet.scheme", "HTTP", "HTTPS"),
            ofPods("containers.*.livenessProbe.httpGet.scheme", "HTTP", "HTTPS"),
            ofPods("containers.*.readinessProbe.httpGet.scheme", "HTTP", "HTTPS"),
            ofPods("containers.*.volumeMounts.*.mountPropagation", "None", "HostToContainer", "Bidirectional"),
            ofPods(
                    "volumes.*.hostPath.type",
                    "",
                    "DirectoryOrCreate",
                    "Directory",
                    "FileOrCreate",
                    "File",
                    "Socket",
                    "CharDevice",
                    "BlockDevice"));

    /** Groups of examples that the models do not have. What stands in their objects of the API's own kinds is looked at. */
    private static final Set<String> FOREIGN = Set.of("jobset.x-k8s.io", "kueue.x-k8s.io");

    /** A field with a few values; of no kind where those of all are meant. */
    private record Choice(String kind, String path, Set<String> values) {}

    /** Of the pods of a Deployment or a DaemonSet. */
    private static Choice ofPods(String path, String... values) {
        return new Choice("", "spec.template.spec." + path, Set.of(values));
    }

    /** Those of the API, and the one that Kubernetes 1.36 asks for of a driver's entries in the status of claims. */
    private static Set<String> verbs() {
        return Set.of(
                "get",
                "list",
                "watch",
                "create",
                "update",
                "patch",
                "delete",
                "deletecollection",
                "associated-node:patch");
    }

    static Stream<ManifestOptions> all() {
        return Stream.of(
                Cluster.OFF,
                Cluster.SHARED,
                Cluster.ISOLATED,
                new ManifestOptions(
                        true, Isolation.NONE, true, "imex-agent", "imex-controller", true, false, false, false));
    }

    @ParameterizedTest
    @MethodSource("all")
    void nothingThatTheApiRequiresIsMissing(ManifestOptions options) throws Exception {
        for (JsonNode object : Cluster.objects(options)) {
            validate(object);
        }
    }

    @Test
    void norInTheExamples() throws Exception {
        List<String> kinds = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Cluster.checkout().resolve("packaging/kubernetes/examples"))) {
            for (Path file :
                    files.filter(one -> one.toString().endsWith(".yaml")).toList()) {
                for (JsonNode object : Cluster.parse(Files.readString(file))) {
                    String kind = object.path("kind").asText();
                    String group = object.path("apiVersion").asText().replaceFirst("/.*", "");
                    if (FOREIGN.contains(group)) {
                        for (JsonNode job : object.at("/spec/replicatedJobs")) {
                            validate("JobTemplateSpec", job.path("template"));
                            kinds.add(kind);
                        }
                    } else if (object.has("kind") && !kind.equals("ComputeDomain")) {
                        validate(object);
                        kinds.add(kind);
                    }
                }
            }
        }
        assertThat(kinds).contains("Pod", "ResourceClaimTemplate", "Job", "Service", "JobSet");
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyChoiceIsOneThatTheApiOffers(ManifestOptions options) {
        for (JsonNode object : Cluster.objects(options)) {
            assertThat(wrongChoices(object)).as(object.toString()).isEmpty();
        }
    }

    @Test
    void aMissingFieldAndAWrongChoiceAreFound() throws Exception {
        ObjectNode crd = Cluster.object(
                        Cluster.SHARED, "CustomResourceDefinition", "computedomains.resource.nvidia.com")
                .deepCopy();
        crd.withObject("/spec/names").remove("plural");
        crd.withObject("/spec").put("scope", "Everywhere");
        assertThatThrownBy(() -> validate(crd)).hasMessageContaining("plural");
        assertThat(wrongChoices(crd)).containsExactly("spec.scope Everywhere");

        ObjectNode role =
                Cluster.object(Cluster.SHARED, "ClusterRole", "imex-controller").deepCopy();
        ((ObjectNode) role.path("rules").path(0)).remove("verbs");
        assertThatThrownBy(() -> validate(role)).hasMessageContaining("verbs");

        ObjectNode deviceClass = Cluster.object(Cluster.ISOLATED, "DeviceClass", "compute-domain-channel.nvidia.com")
                .deepCopy();
        ((ObjectNode) deviceClass.at("/spec/selectors/0/cel")).remove("expression");
        assertThatThrownBy(() -> validate(deviceClass)).hasMessageContaining("expression");
    }

    /** Throws where a required field is missing, at any level. */
    static void validate(JsonNode object) throws ReflectiveOperationException, IOException {
        validate(object.path("kind").asText(), object);
    }

    private static void validate(String kind, JsonNode object) throws ReflectiveOperationException {
        try {
            Class.forName("io.kubernetes.client.openapi.models.V1" + kind)
                    .getMethod("validateJsonElement", JsonElement.class)
                    .invoke(null, JsonParser.parseString(object.toString()));
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(
                    object.path("metadata").path("name").asText() + ": " + e.getTargetException(), e);
        }
    }

    static List<String> wrongChoices(JsonNode object) {
        List<String> wrong = new ArrayList<>();
        for (Choice choice : CHOICES) {
            if (choice.kind().isEmpty() || object.path("kind").asText().equals(choice.kind())) {
                for (Map.Entry<String, JsonNode> found :
                        at(object, choice.path()).entrySet()) {
                    if (!choice.values().contains(found.getValue().asText())) {
                        wrong.add(found.getKey() + " " + found.getValue().asText());
                    }
                }
            }
        }
        return wrong;
    }

    /** What stands at a path, in which a star is every element of a list. */
    private static Map<String, JsonNode> at(JsonNode object, String path) {
        List<JsonNode> nodes = List.of(object);
        for (String step : List.of(path.split("\\.", -1))) {
            List<JsonNode> next = new ArrayList<>();
            for (JsonNode node : nodes) {
                if (step.equals("*")) {
                    node.forEach(next::add);
                } else if (node.has(step)) {
                    next.add(node.path(step));
                }
            }
            nodes = next;
        }
        Map<String, JsonNode> found = new LinkedHashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            found.put(nodes.size() == 1 ? path : path + " #" + i, nodes.get(i));
        }
        return found;
    }
}
