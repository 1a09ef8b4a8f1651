package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.fake.Configs;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.slice.Device;
import io.imexagent.imex.check.SharingCheck;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.access.ClusterAccess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ApiChecksTest {

    @TempDir
    private Path folder;

    private Path kubeconfig;
    private boolean channels = true;
    private final List<String> settings = new ArrayList<>(List.of("publication.cliqueLabel=true"));

    @BeforeEach
    void makeKubeconfig() throws Exception {
        kubeconfig = Files.writeString(folder.resolve("kubelet.conf"), "apiVersion: v1\n");
    }

    @Test
    void tellsVersionNodeAndPermissions() {
        var api = new FakeApi();

        List<CheckResult> results = run(api);

        assertThat(results).extracting(CheckResult::severity).containsOnly(Severity.OK);
        assertThat(results).extracting(CheckResult::message).anyMatch(message -> message.contains("v1.36.0"));
    }

    @Test
    void judgesTheSoftwareThatTheNodeReports() {
        assertThat(run(new FakeApi().with("v1.33.1", "containerd://1.6.28")))
                .filteredOn(result -> result.severity() == Severity.CRITICAL)
                .extracting(CheckResult::id)
                .containsExactly("kubelet-version", "container-runtime");
    }

    @Test
    void checksNothingElseWithoutAKubeconfig() {
        List<CheckResult> results =
                new ApiChecks(config(), ClusterAccess.of(List.of(folder.resolve("missing"))), new FakeApi()).run();

        assertThat(results)
                .singleElement()
                .returns("kubeconfig", CheckResult::id)
                .returns(Severity.CRITICAL, CheckResult::severity);
    }

    @Test
    void namesTheKubeconfigThatItFoundOrAllWhereThereIsNone() throws Exception {
        Path other = folder.resolve("other.conf");
        var places = ClusterAccess.of(List.of(other, kubeconfig));

        assertThat(new ApiChecks(config(), places, new FakeApi()).run().getFirst())
                .returns("kubeconfig", CheckResult::id)
                .returns(kubeconfig + " is readable", CheckResult::message);

        Files.delete(kubeconfig);
        assertThat(new ApiChecks(config(), places, new FakeApi()).run())
                .singleElement()
                .returns(Severity.CRITICAL, CheckResult::severity)
                .satisfies(result -> {
                    assertThat(result.message()).endsWith("none of " + other + ", " + kubeconfig + " exists");
                    assertThat(result.remedy().orElseThrow()).contains("kubernetes.kubeconfig");
                });

        Files.createSymbolicLink(other, folder.resolve("gone"));
        assertThat(new ApiChecks(config(), places, new FakeApi()).run())
                .singleElement()
                .satisfies(result -> assertThat(result.message()).startsWith(other.toString()));
    }

    @ParameterizedTest
    @EnumSource(value = ApiFailure.FailureKind.class, mode = EnumSource.Mode.EXCLUDE, names = "OTHER_NODE")
    void asksNothingMoreOfAServerThatFails(ApiFailure.FailureKind kind) {
        var api = new FakeApi().refusing("verify", kind);

        List<CheckResult> results = run(api);

        assertThat(results).extracting(CheckResult::id).containsExactly("kubeconfig", "api-server");
        assertThat(results.getLast())
                .returns(Severity.CRITICAL, CheckResult::severity)
                .returns("verify refused as the test wants", CheckResult::message);
        assertThat(results.getLast().remedy()).isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "true, v1.36.0, OK, several pods",
        "true, v1.34.2, OK, several pods",
        "false, v1.36.0, WARNING, are for one claim each",
        ", v1.36.0, OK, nothing is published yet",
        ", v1.37.1+build, OK, nothing is published yet",
        ", v1.35.0, WARNING, does not let several claims hold a device",
        ", unknown, WARNING, does not let several claims hold a device",
    })
    void saysWhetherSeveralPodsOfADomainMayRunHere(
            @Nullable Boolean published, String version, Severity status, String message) {
        settings.add("imex.sharing=Domain");
        var api = new FakeApi().running(version);
        if (published != null) {
            api.publishing(Device.channel(new ChannelId(1)).shared(published));
        }

        CheckResult result = result(api, SharingCheck.ID);

        assertThat(result.severity()).isEqualTo(status);
        assertThat(result.message()).contains(message);
        assertThat(result.remedy().isPresent()).isEqualTo(status != Severity.OK);
    }

    @Test
    void saysNothingOfSharingThatNobodyWants() {
        assertThat(run(new FakeApi())).extracting(CheckResult::id).doesNotContain(SharingCheck.ID);
    }

    @Test
    void failsWhereTheNodeIsNotRegistered() {
        CheckResult result = result(new FakeApi().withoutNode(), "node");

        assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(result.remedy().orElseThrow()).contains("node.name");
    }

    @Test
    void asksNothingMoreWhereTheIdentityIsAnotherNodes() {
        List<CheckResult> results = run(new FakeApi().refusing("node", ApiFailure.FailureKind.OTHER_NODE));

        assertThat(results).extracting(CheckResult::id).containsExactly("kubeconfig", "api-server", "node");
        assertThat(results.getLast().remedy().orElseThrow()).contains("node.name");
    }

    @Test
    void failsWhereSlicesMayNotBeRead() {
        assertThat(result(new FakeApi().refusing("slices", ApiFailure.FailureKind.FORBIDDEN), "node")
                        .severity())
                .isEqualTo(Severity.CRITICAL);
    }

    @Test
    void failsWhereComputeDomainsMayNotBeRead() {
        CheckResult result =
                result(new FakeApi().refusing("domains", ApiFailure.FailureKind.FORBIDDEN), "compute-domains");

        assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(result.remedy().orElseThrow()).contains("grant the rule");
    }

    @Test
    void saysToInstallTheResourceWhereTheClusterHasNoComputeDomains() {
        assertThat(result(new FakeApi().refusing("domains", ApiFailure.FailureKind.NOT_FOUND), "compute-domains")
                        .remedy()
                        .orElseThrow())
                .contains("CRD");
    }

    @Test
    void asksForEveryRuleThatServingNeeds() {
        var api = new FakeApi();

        assertThat(run(api)).extracting(CheckResult::id).contains("permissions");

        assertThat(api.asked())
                .extracting(Reviews.AccessRule::text)
                .containsExactly(
                        "list resourceslices.resource.k8s.io",
                        "watch resourceslices.resource.k8s.io",
                        "create resourceslices.resource.k8s.io",
                        "update resourceslices.resource.k8s.io",
                        "delete resourceslices.resource.k8s.io",
                        "get resourceclaims.resource.k8s.io",
                        "get computedomains.resource.nvidia.com",
                        "list computedomains.resource.nvidia.com",
                        "get nodes",
                        "patch nodes",
                        "create events in namespace default");
    }

    @Test
    void asksForWhatNicsNeedAndNotForComputeDomainsWhereNoChannelIsServed() {
        channels = false;
        settings.add("rdma.enabled=true");
        var api = new FakeApi().refusing("domains", ApiFailure.FailureKind.NOT_FOUND);

        List<CheckResult> results = run(api);

        assertThat(results)
                .extracting(CheckResult::id)
                .containsExactly(
                        "kubeconfig", "api-server", "rdma-node", "kubelet-version", "container-runtime", "permissions");
        assertThat(results).extracting(CheckResult::severity).containsOnly(Severity.OK);
        assertThat(api.asked())
                .extracting(Reviews.AccessRule::text)
                .containsExactly(
                        "list resourceslices.resource.k8s.io",
                        "watch resourceslices.resource.k8s.io",
                        "create resourceslices.resource.k8s.io",
                        "update resourceslices.resource.k8s.io",
                        "delete resourceslices.resource.k8s.io",
                        "get resourceclaims.resource.k8s.io",
                        "get nodes",
                        "get pods");
    }

    @Test
    void podsThatMayNotBeReadAreAWarningForInterfacesThatMove() {
        settings.add("rdma.enabled=true");
        var api = new FakeApi().saying("get pods", new Reviews.ReviewResult.Denied("no rule"));

        CheckResult result = result(api, "permissions");

        assertThat(result.severity()).isEqualTo(Severity.WARNING);
        assertThat(result.message()).contains("may not get pods (no rule)", "mode Netdev are refused");
    }

    @Test
    void theNodeIsPatchedOnlyForItsLabel() {
        settings.add("publication.cliqueLabel=false");
        var api = new FakeApi();

        run(api);

        assertThat(api.asked()).extracting(Reviews.AccessRule::text).doesNotContain("patch nodes");
    }

    @Test
    void aNodeWithoutTheLabelByWhichPodsArePlacedIsAWarningWherePlacementIsOn() {
        assertThat(run(new FakeApi())).extracting(CheckResult::id).doesNotContain("clique-label");

        settings.add("placement.clique=Preferred");
        CheckResult result = result(new FakeApi(), "clique-label");

        assertThat(result.severity()).isEqualTo(Severity.WARNING);
        assertThat(result.message()).contains("no label nvidia.com/gpu.clique");
        assertThat(result.remedy().orElseThrow()).contains("publication.cliqueLabel");
    }

    @Test
    void eventsThatMayNotBeMadeAreAWarning() {
        var api =
                new FakeApi().saying("create events in namespace default", new Reviews.ReviewResult.Denied("no rule"));

        CheckResult result = result(api, "permissions");

        assertThat(result.severity()).isEqualTo(Severity.WARNING);
        assertThat(result.message()).contains("may not create events in namespace default (no rule)");
        assertThat(result.remedy().orElseThrow()).contains("a Role in namespace default", "imex.health.nodeEvents");
    }

    @Test
    void eventsAreAskedForOnlyWhereTheyAreMade() {
        settings.add("imex.health.nodeEvents=false");
        var api = new FakeApi();

        run(api);

        assertThat(api.asked()).extracting(Reviews.AccessRule::resource).doesNotContain("events");
    }

    @Test
    void whoMayNotReviewShowsDocumentsOnItsHostOnly() {
        String rule = "create tokenreviews.authentication.k8s.io";
        var api = new FakeApi().saying(rule, new Reviews.ReviewResult.Denied("no rule"));

        assertThat(result(api, "permissions").severity()).isEqualTo(Severity.OK);
        settings.addAll(List.of("http.address=0.0.0.0", "http.tls.certificate=/c", "http.tls.key=/k"));
        CheckResult result = result(api, "permissions");

        assertThat(result.severity()).isEqualTo(Severity.WARNING);
        assertThat(result.message()).contains(rule + " (no rule)", "on this host only");
        assertThat(result.remedy().orElseThrow()).contains("system:auth-delegator");
        assertThat(api.asked())
                .extracting(Reviews.AccessRule::text)
                .endsWith(rule, "create subjectaccessreviews.authorization.k8s.io");
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, true, true",
        "'::', true, true",
        "192.0.2.7, true, true",
        "127.0.0.1, true, false",
        "'::1', true, false",
        "localhost, true, false",
        "0.0.0.0, false, false",
    })
    void itReviewsOnlyOverTlsAndForOtherHosts(String address, boolean tls, boolean expected) {
        settings.add("http.address=" + address);
        if (tls) {
            settings.addAll(List.of("http.tls.certificate=/c", "http.tls.key=/k"));
        }
        var api = new FakeApi();

        run(api);

        assertThat(api.asked().stream().anyMatch(rule -> rule.resource().equals("tokenreviews")))
                .isEqualTo(expected);
    }

    @Test
    void everyRuleThatIsMissingIsAFailure() {
        List<CheckResult> missing = run(new FakeApi()
                        .saying("create resourceslices.resource.k8s.io", new Reviews.ReviewResult.Denied("no rule"))
                        .saying("patch nodes", new Reviews.ReviewResult.Denied("")))
                .stream()
                .filter(result -> result.id().equals("permissions"))
                .toList();

        assertThat(missing)
                .extracting(CheckResult::message)
                .containsExactly(
                        "this identity may not create resourceslices.resource.k8s.io (no rule)",
                        "this identity may not patch nodes");
        assertThat(missing).extracting(CheckResult::severity).containsOnly(Severity.CRITICAL);
        assertThat(missing.getFirst().remedy().orElseThrow()).contains("ClusterRole imex-agent", "system:nodes");
    }

    @Test
    void whatTheNodeAuthorizerGrantsForEachObjectIsGranted() {
        CheckResult result = result(
                new FakeApi().saying("get resourceclaims.resource.k8s.io", new Reviews.ReviewResult.AllowedOfOwnNode()),
                "permissions");

        assertThat(result.severity()).isEqualTo(Severity.OK);
    }

    @Test
    void aServerThatDoesNotTellIsAFailure() {
        assertThat(result(new FakeApi().refusing("permissions", ApiFailure.FailureKind.SERVER_ERROR), "permissions")
                        .severity())
                .isEqualTo(Severity.CRITICAL);
    }

    private CheckResult result(FakeApi api, String id) {
        return run(api).stream()
                .filter(result -> result.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private List<CheckResult> run(FakeApi api) {
        return new ApiChecks(config(), ClusterAccess.of(List.of(kubeconfig)), api).run();
    }

    private AgentConfig config() {
        return Configs.under(folder, channels, settings.toArray(String[]::new));
    }
}
