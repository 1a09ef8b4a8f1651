package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.ClientFixture.failure;
import static io.imexagent.kubernetes.http.StubServer.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.GroupPods;
import io.imexagent.kubernetes.Pods.PodObject;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of a pod: where its network is, and how many of its containers use each claim. */
class PodsTest extends StubbedApi {

    private static final String POD = "/api/v1/namespaces/team/pods/train-0";

    @Test
    void countsTheContainersOfEachClaimByTheNameOfItsObject() throws ApiException {
        given("""
            {"metadata":{"uid":"pod-uid"},"spec":{
             "resourceClaims":[{"name":"channel","resourceClaimTemplateName":"t"},
              {"name":"rails","resourceClaimName":"own-rails"},{"name":"idle","resourceClaimName":"own-idle"}],
             "initContainers":[{"name":"warm","resources":{"claims":[{"name":"rails"}]}}],
             "containers":[{"name":"a","resources":{"claims":[{"name":"channel"},{"name":"rails","request":"r"}]}},
              {"name":"b","resources":{}},{"name":"c"}]},
             "status":{"resourceClaimStatuses":[{"name":"channel","resourceClaimName":"train-0-channel-x7"}]}}\
            """);

        assertThat(api.pods().get("team", "train-0"))
                .contains(new PodObject("pod-uid", false, true, Map.of("own-rails", 2, "train-0-channel-x7", 1)));
        assertThat(fixture.observed).containsExactly("get pods ok");
    }

    @ParameterizedTest
    @CsvSource({"{}, false", "{\"hostNetwork\":true}, true", "{\"hostNetwork\":false}, false"})
    void tellsWhetherThePodIsInTheHostsNetwork(String spec, boolean hostNetwork) throws ApiException {
        given("{\"metadata\":{\"uid\":\"u\"},\"spec\":" + spec + "}");

        assertThat(api.pods().get("team", "train-0")).contains(new PodObject("u", hostNetwork, true, Map.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "{}, true",
        "{\"hostUsers\":true}, true",
        "{\"hostUsers\":false}, false",
        "{\"hostUsers\":null}, true",
        "{\"hostUsers\":\"false\"}, true"
    })
    void tellsWhetherItsUsersAreTheHosts(String spec, boolean hostUsers) throws ApiException {
        given("{\"metadata\":{\"uid\":\"u\"},\"spec\":" + spec + "}");

        assertThat(api.pods().get("team", "train-0")).contains(new PodObject("u", false, hostUsers, Map.of()));
    }

    @Test
    void findsThePodsOfAGroupThatUseAClaimAmongThoseOfTheNode() throws ApiException {
        server.on("GET /api/v1/namespaces/team/pods", 200, """
                {"metadata":{"resourceVersion":"7"},"items":[%s,%s,%s,%s,%s]}\
                """.formatted(
                        grouped("here", "ring", "rails", "Running"),
                        grouped("ended", "ring", "rails", "Succeeded"),
                        grouped("other-group", "star", "rails", "Running"),
                        grouped("other-claim", "ring", "wheels", "Running"),
                        "{\"metadata\":{\"name\":\"alone\",\"uid\":\"alone\"},\"spec\":{},\"status\":{}}"));

        assertThat(api.groupPods("node-1").using("team", "ring", "rails"))
                .containsExactly(
                        new GroupPods.GroupPod("here", new PodObject("here", false, true, Map.of("rails", 1))));
        assertThat(server.requests()).singleElement().asString().contains("fieldSelector=spec.nodeName=node-1");
    }

    private static String grouped(String name, String group, String claim, String phase) {
        return """
            {"metadata":{"name":"%s","uid":"%s"},"spec":{"schedulingGroup":{"podGroupName":"%s"},
             "resourceClaims":[{"name":"r","resourceClaimName":"%s"}],
             "containers":[{"resources":{"claims":[{"name":"r"}]}}]},"status":{"phase":"%s"}}\
            """.formatted(name, name, group, claim, phase);
    }

    @Test
    void aPodThatIsGoneIsNone() throws ApiException {
        server.on("GET " + POD, 404, status(404, "NotFound", "pods \\\"train-0\\\" not found", "\"name\":\"train-0\""));

        assertThat(api.pods().get("team", "train-0")).isEmpty();
    }

    @Test
    void aRefusalNamesThePodAndTheMissingRule() {
        server.on(
                "GET " + POD,
                403,
                status(
                        403,
                        "Forbidden",
                        "pods \\\"train-0\\\" is forbidden: User \\\"alice\\\" cannot get resource \\\"pods\\\" in API"
                                + " group \\\"\\\" in the namespace \\\"team\\\"",
                        "\"name\":\"train-0\""));

        var failure = failure(() -> api.pods().get("team", "train-0"));

        assertThat(failure.kind()).isEqualTo(FailureKind.FORBIDDEN);
        assertThat(failure.message()).contains("Pod team/train-0").contains("lacks the verb get on pods");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "{\"metadata\":{}}", "{\"metadata\":{\"uid\":7", "<html>"})
    void anAnswerThatIsNoPodIsAFailureAndNoPod(String body) {
        given(body);

        assertThat(failure(() -> api.pods().get("team", "train-0")).kind()).isEqualTo(FailureKind.UNREADABLE);
    }

    @Test
    void namesCannotLeaveTheirPlaceInThePath() {
        assertThat(failure(() -> api.pods().get("team", "../../secrets/x")).kind())
                .isNotNull();
        assertThat(server.requests())
                .allSatisfy(request -> assertThat(request.path()).startsWith("/api/v1/namespaces/team/pods/"));
    }

    private void given(String body) {
        server.on("GET " + POD, 200, body);
    }
}
