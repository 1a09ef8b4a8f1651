package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The policy that keeps pods in one clique: its conditions and variables, evaluated; and of the patches, which only an API
 * server applies, what they consist of.
 */
class PlacementPolicyTest {

    private static final String NAME = "imex-agent-placement";
    private static final String KIND = "MutatingAdmissionPolicy";
    private static final ManifestOptions OPTIONS = Cluster.withPlacement(Cluster.SHARED);
    private static final String LIST = "DuringSchedulingIgnoredDuringExecution";
    private static final String PARAMS = """
            {"spec":{"templates":{"train":{"computeDomain":"uid-1","mode":"Required"},
             "infer":{"computeDomain":"uid-2","mode":"Preferred"}}}}""";

    private static Policy pod(String spec) {
        return new Policy(OPTIONS, KIND, NAME)
                .with("params", PARAMS)
                .with("object", "{\"metadata\":{},\"spec\":" + spec + "}");
    }

    private static Policy claiming(String template, String affinity) {
        return pod("{\"resourceClaims\":[{\"name\":\"c\",\"resourceClaimTemplateName\":\"" + template + "\"}]"
                + affinity + "}");
    }

    private static JsonNode spec() {
        return Cluster.object(OPTIONS, KIND, NAME).path("spec");
    }

    @Test
    void isThereOnRequestOnlyWithTheKindThatItReads() {
        assertThat(Cluster.names(Cluster.objects(OPTIONS)))
                .containsSubsequence(
                        "CustomResourceDefinition cliqueplacements.imexagent.io",
                        KIND + " " + NAME,
                        "MutatingAdmissionPolicyBinding " + NAME);
        assertThat(Cluster.names(Cluster.objects(Cluster.SHARED)))
                .contains("CustomResourceDefinition cliqueplacements.imexagent.io")
                .noneMatch(name -> name.startsWith(KIND));
        assertThat(Cluster.names(Cluster.objects(Cluster.withPlacement(Cluster.OFF))))
                .noneMatch(name -> name.startsWith(KIND));
    }

    @Test
    void podsWithoutClaimsFromTemplatesNeverGetThatFar() {
        assertThat(pod("{\"containers\":[]}").matches()).isFalse();
        assertThat(pod("{\"resourceClaims\":[{\"name\":\"c\",\"resourceClaimName\":\"mine\"}]}")
                        .matches())
                .isFalse();
        assertThat(claiming("train", "").matches()).isTrue();
    }

    @Test
    void aTemplateDecidesByItsEntry() {
        assertThat(claiming("train", "").variables())
                .containsEntry("domain", "uid-1")
                .containsEntry("required", true);
        assertThat(claiming("infer", "").variables())
                .containsEntry("domain", "uid-2")
                .containsEntry("required", false);
        assertThat(claiming("gpus", "").variables()).containsEntry("domain", "").containsEntry("placed", false);
    }

    @Test
    void aTermOfItsOwnIsNotAddedTwiceAndThatOfAnotherDoesNotCount() {
        String term = "{\"topologyKey\":\"nvidia.com/gpu.clique\",\"labelSelector\":{\"matchLabels\":"
                + "{\"imexagent.io/compute-domain\":\"%s\"}}}";
        String required = ",\"affinity\":{\"podAffinity\":{\"required" + LIST + "\":[%s]}}";
        String preferred =
                ",\"affinity\":{\"podAffinity\":{\"preferred" + LIST + "\":[{\"weight\":1,\"podAffinityTerm\":%s}]}}";

        assertThat(claiming("train", required.formatted(term.formatted("uid-1")))
                        .variables())
                .containsEntry("placed", true);
        assertThat(claiming("train", required.formatted(term.formatted("uid-2")))
                        .variables())
                .containsEntry("placed", false)
                .containsEntry("hasRequired", true);
        assertThat(claiming("train", required.formatted("{\"topologyKey\":\"zone\"}"))
                        .variables())
                .containsEntry("placed", false);
        assertThat(claiming("infer", preferred.formatted(term.formatted("uid-2")))
                        .variables())
                .containsEntry("placed", true)
                .containsEntry("hasPreferred", true);
        assertThat(claiming("infer", ",\"affinity\":{\"nodeAffinity\":{}}").variables())
                .containsEntry("podAffinity", false)
                .containsEntry("placed", false);
    }

    @Test
    void whatItAddsIsALabelAndATermAndNothingIsReplaced() {
        String patches = spec().path("mutations").toString();

        assertThat(patches)
                .contains(
                        "/metadata/labels/imexagent.io~1compute-domain",
                        "required" + LIST + "/-'",
                        "preferred" + LIST + "/-'",
                        "weight: 100",
                        "topologyKey: 'nvidia.com/gpu.clique'",
                        "matchLabelKeys: ['imexagent.io/placement-group']")
                .doesNotContain("'replace'", "'remove'");
    }

    @Test
    void noPodIsKeptFromStartingByIt() {
        assertThat(spec().path("failurePolicy").asText()).isEqualTo("Ignore");
        assertThat(spec().at("/matchConstraints/resourceRules/0/operations").toString())
                .isEqualTo("[\"CREATE\"]");
        JsonNode ref =
                Cluster.object(OPTIONS, "MutatingAdmissionPolicyBinding", NAME).at("/spec/paramRef");
        assertThat(List.of(
                        ref.path("name").asText(),
                        ref.path("parameterNotFoundAction").asText()))
                .containsExactly("imex-agent", "Allow");
        assertThat(ref.has("namespace")).as("the namespace is the pod's").isFalse();
    }
}
