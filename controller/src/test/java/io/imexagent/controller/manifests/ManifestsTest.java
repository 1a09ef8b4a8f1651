package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.core.policy.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ManifestsTest {

    static Stream<ManifestOptions> all() {
        return Stream.of(Cluster.OFF, Cluster.SHARED, Cluster.ISOLATED);
    }

    @ParameterizedTest
    @MethodSource("all")
    void theDefaultChannelClassIsAlwaysThere(ManifestOptions options) {
        assertThat(Cluster.names(Cluster.objects(options)))
                .contains(
                        "DeviceClass compute-domain-default-channel.nvidia.com",
                        "CustomResourceDefinition computedomains.resource.nvidia.com");
    }

    @Test
    void daemonClassAndDaemonRbacAreThereOnlyWhileTheGateIsOff() {
        String[] daemon = {
            "DeviceClass compute-domain-daemon.nvidia.com",
            "ClusterRole compute-domain-daemon-role",
            "ServiceAccount compute-domain-daemon-service-account"
        };

        assertThat(Cluster.names(Cluster.objects(Cluster.OFF))).contains(daemon);
        assertThat(Cluster.names(Cluster.objects(Cluster.SHARED))).doesNotContain(daemon);
        assertThat(Cluster.names(Cluster.objects(Cluster.ISOLATED))).doesNotContain(daemon);
    }

    @Test
    void theChannelClassIsThereOnlyWithIsolation() {
        String channel = "DeviceClass compute-domain-channel.nvidia.com";

        assertThat(Cluster.names(Cluster.objects(Cluster.ISOLATED))).contains(channel);
        assertThat(Cluster.names(Cluster.objects(Cluster.SHARED))).doesNotContain(channel);
    }

    @Test
    void theClassesOfRdmaNicsAreThereOnlyWithRdma() {
        var with = new ManifestOptions(
                false, Isolation.NONE, false, "imex-agent", "imex-controller", true, false, false, false);

        assertThat(Cluster.names(Cluster.objects(with)))
                .contains("DeviceClass rail.rdma.imexagent.io", "DeviceClass all-rails.rdma.imexagent.io");
        assertThat(Manifests.of(Cluster.OFF)).doesNotContain("kind: DeviceClass\nmetadata:\n  name: rail");
    }

    @Test
    void slicesOfRdmaNicsAreGuardedWithoutTheGateToo() {
        var with = new ManifestOptions(
                false, Isolation.NONE, true, "imex-agent", "imex-controller", true, false, false, false);
        var without = new ManifestOptions(
                false, Isolation.NONE, true, "imex-agent", "imex-controller", false, false, false, false);

        assertThat(Cluster.names(Cluster.objects(with)))
                .filteredOn(name -> name.contains("Admission"))
                .containsExactly(
                        "ValidatingAdmissionPolicy imex-agent-slices",
                        "ValidatingAdmissionPolicyBinding imex-agent-slices");
        assertThat(Cluster.names(Cluster.objects(without))).noneMatch(name -> name.contains("Admission"));
    }

    @Test
    void whatKeepsRightsToTheirOwnersIsAlwaysThereAndWhatRefusesEarlyOnlyWhenAskedFor() {
        var without = new ManifestOptions(
                true, Isolation.NONE, false, "imex-agent", "imex-controller", false, false, false, false);

        assertThat(policies(without))
                .containsExactly(
                        "ValidatingAdmissionPolicy imex-agent-nvlinknodes",
                        "ValidatingAdmissionPolicy imex-agent-nvlinkcliques",
                        "ValidatingAdmissionPolicy imex-agent-computedomain-status");
        assertThat(policies(Cluster.ISOLATED))
                .containsAll(policies(without))
                .contains(
                        "ValidatingAdmissionPolicy imex-agent-claims",
                        "ValidatingAdmissionPolicy imex-agent-templates",
                        "ValidatingAdmissionPolicy imex-agent-slices")
                .hasSize(6);
    }

    private static List<String> policies(ManifestOptions options) {
        return Cluster.names(Cluster.objects(options)).stream()
                .filter(name -> name.startsWith("ValidatingAdmissionPolicy "))
                .toList();
    }

    @Test
    void rightsComeAfterThePoliciesThatLimitThem() {
        List<String> names = Cluster.names(Cluster.objects(Cluster.SHARED));

        assertThat(names)
                .containsSubsequence(
                        "CustomResourceDefinition nvlinkcliques.imexagent.io",
                        "ValidatingAdmissionPolicyBinding imex-agent-nvlinkcliques",
                        "ClusterRoleBinding imex-agent");
    }

    @Test
    void aSecondApplyChangesNothing() {
        for (JsonNode object : Cluster.objects(Cluster.ISOLATED)) {
            JsonNode constraints = object.at("/spec/matchConstraints");
            if (object.path("kind").asText().equals("ValidatingAdmissionPolicy")) {
                assertThat(object.at("/spec/failurePolicy").asText()).isNotEmpty();
                assertThat(constraints.path("matchPolicy").asText()).isEqualTo("Equivalent");
                assertThat(constraints.path("resourceRules"))
                        .allSatisfy(rule -> assertThat(rule.path("scope").asText())
                                .as("in a list the API server's defaults stand out against what is applied")
                                .isEqualTo("*"));
            }
        }
    }

    @Test
    void onlyApiObjectsAndNoWorkloads() {
        assertThat(Cluster.objects(Cluster.ISOLATED))
                .extracting(object -> object.path("kind").asText())
                .doesNotContain("Deployment", "DaemonSet", "Pod", "Secret");
    }

    @Test
    void agentsMayReadComputeDomainsAndWriteWhatThePoliciesLimit() {
        JsonNode role = Cluster.object(Cluster.SHARED, "ClusterRole", "imex-agent");
        JsonNode binding = Cluster.object(Cluster.SHARED, "ClusterRoleBinding", "imex-agent");

        assertThat(rights(role))
                .containsExactly(
                        "[\"computedomains\"] [\"get\",\"list\"]",
                        "[\"nvlinknodes\"] [\"get\",\"list\",\"watch\",\"create\",\"update\"]",
                        "[\"nvlinkcliques\"] [\"get\",\"update\"]");
        assertThat(binding.path("subjects").path(0).path("name").asText()).isEqualTo("system:nodes");
        assertThat(binding.path("subjects")).hasSize(1);
    }

    @Test
    void theRolesOfTheFabricTestComeOnRequestOnlyAndAreBoundToNobody() {
        var with = Cluster.withFabricTest(Cluster.SHARED);

        assertThat(Manifests.of(Cluster.SHARED)).doesNotContain("imex-fabric-test");
        assertThat(Cluster.names(Cluster.objects(with)).stream().filter(name -> name.contains("fabric-test")))
                .containsExactly(
                        "ClusterRole imex-fabric-test",
                        "ClusterRole imex-fabric-test-reader",
                        "ClusterRole imex-fabric-test-recorder");
        assertThat(rights(Cluster.object(with, "ClusterRole", "imex-fabric-test")))
                .containsExactly(
                        "[\"jobs\"] [\"get\",\"create\",\"delete\"]",
                        "[\"pods\",\"events\"] [\"list\"]",
                        "[\"pods/log\"] [\"get\"]",
                        "[\"services\",\"secrets\"] [\"create\",\"delete\"]",
                        "[\"networkpolicies\"] [\"create\",\"delete\"]",
                        "[\"resourceclaimtemplates\"] [\"create\",\"delete\"]",
                        "[\"computedomains\"] [\"create\",\"delete\"]");
    }

    @Test
    void rightsToTheStatusOfClaimsComeOnRequestOnlyAndAfterTheirPolicy() {
        var with = Cluster.withClaimStatus(Cluster.SHARED);

        assertThat(Manifests.of(Cluster.SHARED)).doesNotContain("resourceclaims/status");
        assertThat(Cluster.names(Cluster.objects(with)))
                .containsSubsequence(
                        "ValidatingAdmissionPolicyBinding imex-agent-claim-status",
                        "ServiceAccount imex-claim-status",
                        "ClusterRoleBinding imex-claim-status");
        JsonNode role = Cluster.object(with, "ClusterRole", "imex-claim-status");
        assertThat(rights(role))
                .containsExactly(
                        "[\"resourceclaims/status\"] [\"patch\"]",
                        "[\"resourceclaims/driver\"] [\"associated-node:patch\"]");
        assertThat(role.at("/rules/1/resourceNames").toString())
                .isEqualTo("[\"compute-domain.nvidia.com\",\"rdma.imexagent.io\"]");
        assertThat(Cluster.object(with, "ClusterRoleBinding", "imex-claim-status")
                        .path("subjects")
                        .toString())
                .as("no group of nodes: to the API server none of them is associated with its node")
                .isEqualTo("[{\"kind\":\"ServiceAccount\",\"name\":\"imex-claim-status\","
                        + "\"namespace\":\"imex-agent\"}]");
    }

    /** Who runs the test has a role of its own, which is no object of the manifests. */
    @ParameterizedTest
    @MethodSource("all")
    void noRoleMayWriteResultsOfTheFabricTestAndOnlyTheControllerIsBoundToReadThem(ManifestOptions options) {
        List<String> roles = Cluster.objects(options).stream()
                .filter(object -> object.path("rules").toString().contains("fabrictests"))
                .flatMap(object -> object.path("rules")
                        .valueStream()
                        .filter(rule -> rule.path("resources").toString().contains("fabrictests"))
                        .map(rule -> object.at("/metadata/name").asText() + " " + rule.path("verbs")))
                .toList();

        assertThat(roles)
                .isEqualTo(
                        options.equals(Cluster.OFF)
                                ? List.of()
                                : List.of(
                                        "imex-controller [\"list\",\"watch\"]",
                                        "imex-domains-viewer [\"get\",\"list\",\"watch\"]"));
    }

    /** Tenants have no right to what places their pods but to read it, where whoever runs the cluster lets them. */
    @Test
    void onlyTheControllerWritesWhatThePolicyOfPlacementReads() {
        List<String> roles = Cluster.objects(Cluster.withPlacement(Cluster.ISOLATED)).stream()
                .filter(object -> object.path("rules").toString().contains("cliqueplacements"))
                .flatMap(object -> object.path("rules")
                        .valueStream()
                        .filter(rule -> rule.path("resources").toString().contains("cliqueplacements"))
                        .map(rule -> object.at("/metadata/name").asText() + " " + rule.path("verbs")))
                .toList();

        assertThat(roles)
                .containsExactly(
                        "imex-controller [\"list\",\"watch\",\"create\",\"update\",\"delete\"]",
                        "imex-domains-viewer [\"get\",\"list\",\"watch\"]",
                        "imex-placements-viewer [\"get\",\"list\",\"watch\"]");
    }

    @Test
    void theControllerNeedsNoClaimsNoPodsAndNoSlices() {
        assertThat(rights(Cluster.object(Cluster.ISOLATED, "ClusterRole", "imex-controller")))
                .noneMatch(rule ->
                        rule.contains("resourceclaims") || rule.contains("resourceslices") || rule.contains("pods"))
                .contains("[\"nodes\"] [\"get\",\"list\"]");
    }

    @Test
    void theExampleOfAQuotaNamesAClassThatIsThere() throws IOException {
        JsonNode quota = Cluster.parse(
                        Files.readString(Cluster.checkout().resolve("packaging/kubernetes/examples/quota.yaml")))
                .getFirst();
        String devices = ".deviceclass.resource.k8s.io/devices";

        assertThat(quota.at("/spec/hard").properties())
                .extracting(Map.Entry::getKey)
                .filteredOn(key -> key.endsWith(devices))
                .singleElement()
                .satisfies(key -> assertThat(Cluster.names(Cluster.objects(Cluster.ISOLATED)))
                        .contains("DeviceClass " + key.substring(0, key.length() - devices.length())));
    }

    private static List<String> rights(JsonNode role) {
        return role.path("rules")
                .valueStream()
                .map(rule -> rule.path("resources") + " " + rule.path("verbs"))
                .toList();
    }

    @Test
    void whoViewsDomainsMayListAndWatchWhatTheCommandFollows() {
        JsonNode role = Cluster.object(Cluster.ISOLATED, "ClusterRole", "imex-domains-viewer");

        assertThat(rights(role))
                .containsExactly(
                        "[\"computedomains\"] [\"list\",\"watch\"]",
                        "[\"resourceclaimtemplates\"] [\"get\",\"list\",\"watch\"]",
                        "[\"nodes\"] [\"list\"]",
                        "[\"pods\"] [\"list\"]",
                        "[\"nvlinknodes\",\"nvlinkcliques\",\"fabrictests\",\"cliqueplacements\"]"
                                + " [\"get\",\"list\",\"watch\"]");
    }

    @ParameterizedTest
    @MethodSource("all")
    void whoLooksAtDocumentsMayGetThemAndNothingElse(ManifestOptions options) {
        JsonNode role = Cluster.object(options, "ClusterRole", "imex-agent-documents");

        assertThat(role.path("rules").toString())
                .isEqualTo(
                        "[{\"nonResourceURLs\":[\"/inventory\",\"/domains\",\"/racks\",\"/racks.json\"],\"verbs\":[\"get\"]}]");
    }

    @Test
    void theControllerMayAskWhoSomebodyIsAndWhatTheyMay() {
        assertThat(Cluster.object(Cluster.SHARED, "ClusterRole", "imex-controller")
                        .path("rules")
                        .toString())
                .contains(
                        "{\"apiGroups\":[\"authentication.k8s.io\"],\"resources\":[\"tokenreviews\"],"
                                + "\"verbs\":[\"create\"]}",
                        "{\"apiGroups\":[\"authorization.k8s.io\"],\"resources\":[\"subjectaccessreviews\"],"
                                + "\"verbs\":[\"create\"]}");
    }

    @Test
    void noRuleHasAWildcardAndEachHasItsReason() {
        for (JsonNode object : Cluster.objects(Cluster.ISOLATED)) {
            assertThat(object.path("rules").toString()).doesNotContain("*");
        }
        List<String> lines = Manifests.of(Cluster.ISOLATED).lines().toList();
        for (int i = 1; i < lines.size(); i++) {
            if (lines.get(i).startsWith("  - apiGroups: [")
                    && lines.get(i + 1).startsWith("    resources: [")
                    && lines.get(i + 2).startsWith("    verbs: [")) {
                assertThat(lines.get(i - 1)).as(lines.get(i + 1)).startsWith("  # ");
            }
        }
    }

    @Test
    void namespaceAndUserAreFilledInEverywhere() {
        String text = Manifests.of(new ManifestOptions(
                true, Isolation.IMEX_CHANNEL, true, "elsewhere", "somebody", false, false, false, false));

        assertThat(text).doesNotContain("${").contains("name: \"elsewhere\"", "name: \"somebody\"", "!= 'somebody'");
    }
}
