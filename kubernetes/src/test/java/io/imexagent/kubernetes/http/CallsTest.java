package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.ClientFixture.failure;
import static io.imexagent.kubernetes.http.StubServer.json;
import static io.imexagent.kubernetes.http.StubServer.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.Claims.ClaimObject;
import io.imexagent.kubernetes.Claims.ClaimStatusText;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import io.imexagent.kubernetes.Events.Event;
import io.imexagent.kubernetes.KubernetesApi.ApiState;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.kubernetes.Nodes.NodeObject;
import io.imexagent.kubernetes.Slices.NodeRef;
import io.imexagent.kubernetes.access.KubeconfigFile;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallsTest extends StubbedApi {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final ClaimName NAME = new ClaimName("ns", "claim");
    private static final String CLAIM = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/claim";
    private static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices";
    private static final NodeRef NODE = new NodeRef("node-a", "node-uid");

    @Test
    void readsAClaimAndKeepsItsStatus() throws ApiException {
        server.on("GET " + CLAIM, 200, "{\"metadata\":{\"uid\":\"u\"},\"status\":{\"b\":1.0,\"a\":[]}}");

        assertThat(api.state()).isInstanceOf(ApiState.ApiUntried.class);
        assertThat(api.claims().get(NAME))
                .contains(new ClaimObject(
                        NAME, "u", false, Map.of(), new ClaimStatusText.WholeStatus("{\"b\":1.0,\"a\":[]}")));
        assertThat(api.state()).isInstanceOf(ApiState.ApiAnswering.class);
        assertThat(fixture.observed).containsExactly("get resourceclaims.resource.k8s.io ok");
        StubServer.Request request = server.requests().getFirst();
        assertThat(request.header("Authorization")).isEqualTo("Bearer hunter2");
        assertThat(request.header("User-agent")).isEqualTo("imex-agent/test");
    }

    @Test
    void findsNoClaimWhereTheServerSaysSo() throws ApiException {
        server.on("GET " + CLAIM, 404, status(404, "NotFound", "gone", "\"name\":\"claim\""));

        assertThat(api.claims().get(NAME)).isEmpty();
        assertThat(api.state()).isInstanceOf(ApiState.ApiAnswering.class);
    }

    @Test
    void tellsAServerThatDoesNotServeClaimsFromAMissingClaim() {
        ApiFailure failure = failure(() -> api.claims().get(NAME));

        assertThat(failure.kind()).isEqualTo(FailureKind.NOT_FOUND);
        assertThat(failure.message())
                .contains("does not serve resourceclaims.resource.k8s.io")
                .contains("Kubernetes 1.34");
    }

    @ParameterizedTest
    @CsvSource({
        "400, INVALID",
        "409, CONFLICT",
        "410, GONE",
        "422, INVALID",
        "500, SERVER_ERROR",
        "503, SERVER_ERROR",
        "302, UNREADABLE"
    })
    void namesTheObjectAndTheServersWords(int code, FailureKind kind) {
        server.on("GET " + CLAIM, code, status(code, "Reason", "the server's words", ""));

        ApiFailure failure = failure(() -> api.claims().get(NAME));

        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure.message()).contains("ResourceClaim ns/claim");
        assertThat(fixture.observed).containsExactly("get resourceclaims.resource.k8s.io " + kind.label());
    }

    @Test
    void namesTheMissingRuleAndWhoNeedsIt() {
        server.on(
                "GET " + CLAIM,
                403,
                status(
                        403,
                        "Forbidden",
                        "resourceclaims.resource.k8s.io \\\"claim\\\" is forbidden: User \\\"alice\\\" cannot get"
                                + " resource \\\"resourceclaims\\\" in API group \\\"resource.k8s.io\\\" in the namespace"
                                + " \\\"ns\\\"",
                        "\"name\":\"claim\""));

        ApiFailure failure = failure(() -> api.claims().get(NAME));

        assertThat(failure.kind()).isEqualTo(FailureKind.FORBIDDEN);
        assertThat(failure.message())
                .contains("user alice lacks the verb get on resourceclaims in API group \"resource.k8s.io\"")
                .contains("ClusterRole");
        assertThat(api.state())
                .isInstanceOfSatisfying(
                        ApiState.ApiFailing.class,
                        failing -> assertThat(failing.failure()).isEqualTo(failure));
    }

    @Test
    void saysHowLongTheServerWantsToBeLeftAlone() {
        server.on(
                "GET " + CLAIM,
                (request, client) -> new StubServer.Response(
                        429,
                        Map.of("Retry-After", "7"),
                        status(429, "TooManyRequests", "slow down", ""),
                        Optional.empty()));

        ApiFailure failure = failure(() -> api.claims().get(NAME));

        assertThat(failure.kind()).isEqualTo(FailureKind.THROTTLED);
        assertThat(failure.retryAfter()).contains(Duration.ofSeconds(7));
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void doesNotTakeAPageOfAProxyForAClaim() {
        server.on("GET " + CLAIM, 200, "<html>hunter2</html>");

        assertThat(failure(() -> api.claims().get(NAME)).kind()).isEqualTo(FailureKind.UNREADABLE);
    }

    @Test
    void triesOnceMoreWithTheTokenThatReplacedARefusedOne() throws Exception {
        Files.writeString(folder.resolve("token"), "old");
        server.on(
                "GET " + CLAIM,
                (request, client) -> request.header("Authorization").equals("Bearer new")
                        ? json(200, "{\"metadata\":{\"uid\":\"u\"}}")
                        : json(401, status(401, "Unauthorized", "Unauthorized", "")));
        try (var rotating = fixture.client(folder, "http://127.0.0.1:" + server.port(), "tokenFile: token")) {
            ApiFailure refused = failure(() -> rotating.claims().get(NAME));
            assertThat(refused.kind()).isEqualTo(FailureKind.UNAUTHORIZED);
            assertThat(refused.message()).contains("token of " + folder.resolve("token"));

            Files.writeString(folder.resolve("token"), "new");
            assertThat(rotating.claims().get(NAME)).isPresent();
        }
    }

    @Test
    void keepsTheLastTokenWhileTheFileIsGone() throws Exception {
        Files.writeString(folder.resolve("token"), "one");
        server.on("GET " + CLAIM, 401, status(401, "Unauthorized", "Unauthorized", ""));
        try (var rotating = fixture.client(folder, "http://127.0.0.1:" + server.port(), "tokenFile: token")) {
            failure(() -> rotating.claims().get(NAME));
            Files.delete(folder.resolve("token"));
            assertThat(failure(() -> rotating.claims().get(NAME)).kind()).isEqualTo(FailureKind.UNAUTHORIZED);

            server.on("GET " + CLAIM, 200, "{\"metadata\":{\"uid\":\"u\"}}");
            assertThat(rotating.claims().get(NAME)).isPresent();
            assertThat(server.requests().getLast().header("Authorization")).isEqualTo("Bearer one");
        }
    }

    @Test
    void usesAKubeconfigThatAppearsLater() throws Exception {
        Path kubeconfig = folder.resolve("kubeconfig");
        Files.delete(kubeconfig);
        try (var early = fixture.client(kubeconfig, Duration.ofSeconds(20))) {
            ApiFailure failure = failure(() -> early.claims().get(NAME));
            assertThat(failure.kind()).isEqualTo(FailureKind.NO_KUBECONFIG);
            assertThat(failure.message()).contains("kubernetes.kubeconfig " + kubeconfig + " does not exist");

            server.on("GET " + CLAIM, 200, "{\"metadata\":{\"uid\":\"u\"}}");
            KubeconfigFile.write(folder, "http://127.0.0.1:" + server.port(), "", "token: t");
            assertThat(early.claims().get(NAME)).isPresent();
        }
    }

    @Test
    void saysThatNobodyListens() throws IOException {
        int port;
        try (var unused = new ServerSocket(0)) {
            port = unused.getLocalPort();
        }
        try (var lost = fixture.client(folder, "http://127.0.0.1:" + port, "token: hunter2")) {
            ApiFailure failure = failure(() -> lost.claims().get(NAME));

            assertThat(failure.kind()).isEqualTo(FailureKind.UNREACHABLE);
            assertThat(failure.message()).contains("http://127.0.0.1:" + port).contains("no connection");
        }
    }

    @Test
    void saysThatAHostNameIsUnknown() throws IOException {
        try (var lost = fixture.client(folder, "https://no-such-host.invalid:6443", "token: hunter2")) {
            ApiFailure failure = failure(() -> lost.claims().get(NAME));

            assertThat(failure.kind()).isEqualTo(FailureKind.UNREACHABLE);
            assertThat(failure.message()).contains("name is unknown");
        }
    }

    @Test
    void doesNotWaitForEverForAServerThatHangs() throws Exception {
        var never = StubServer.lines();
        server.on("GET " + CLAIM, (request, client) -> {
            never.take();
            return json(200, "");
        });
        try (var hasty = fixture.client(folder.resolve("kubeconfig"), Duration.ofMillis(200))) {
            assertThat(failure(() -> hasty.claims().get(NAME)).kind()).isEqualTo(FailureKind.TIMEOUT);
        }
        StubServer.end(never);
    }

    @Test
    void doesNotWaitForEverForTheRestOfAnAnswer() {
        var never = StubServer.lines();
        never.add("{\"metadata\":");
        server.on("GET " + CLAIM, (request, client) -> server.stream(never));
        try (var hasty = fixture.client(folder.resolve("kubeconfig"), Duration.ofMillis(200))) {
            assertThat(failure(() -> hasty.claims().get(NAME)).kind()).isEqualTo(FailureKind.TIMEOUT);
        }
    }

    @Test
    void readsManyClaimsAtOnceWithoutAPace() throws Exception {
        server.on("GET " + CLAIM, 200, "{\"metadata\":{\"uid\":\"u\"}}");
        List<Callable<Optional<ClaimObject>>> calls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            calls.add(() -> api.claims().get(NAME));
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Optional<ClaimObject>> answer : threads.invokeAll(calls)) {
                assertThat(answer.get()).isPresent();
            }
        }
    }

    @Test
    void givesTheServersVersionWhereItServesTheApi() throws ApiException {
        server.on("GET /version", 200, "{\"gitVersion\":\"v1.36.0\"}");
        server.on("GET /apis/resource.k8s.io", 200, "{\"versions\":[{\"version\":\"v1\"},{\"version\":\"v1beta2\"}]}");

        assertThat(api.verify()).isEqualTo("v1.36.0");
    }

    @Test
    void namesTheVersionOfAnOlderCluster() {
        server.on("GET /version", 200, "{\"gitVersion\":\"v1.33.1\"}");
        server.on("GET /apis/resource.k8s.io", 200, "{\"versions\":[{\"version\":\"v1beta2\"}]}");

        ApiFailure failure = failure(api::verify);

        assertThat(failure.kind()).isEqualTo(FailureKind.UNSUPPORTED);
        assertThat(failure.message())
                .isEqualTo("this cluster serves resource.k8s.io v1beta2 but not v1: imex-agent needs Kubernetes 1.34 or"
                        + " later (server: v1.33.1)");
        assertThat(api.state()).isInstanceOf(ApiState.ApiFailing.class);
    }

    @Test
    void saysThatAClusterHasNoDynamicResourceAllocation() {
        server.on("GET /version", 200, "{\"gitVersion\":\"v1.30.0\"}");

        assertThat(failure(api::verify).message()).startsWith("this cluster does not serve resource.k8s.io:");
    }

    @Test
    void readsAndLabelsANode() throws ApiException {
        server.on("GET /api/v1/nodes/node-a", 200, """
            {"metadata":{"name":"node-a","uid":"u","labels":{"a":"b"}},"status":{"addresses":[
            {"type":"InternalIP","address":"192.0.2.7"},{"type":"InternalIP","address":"2001:db8::7"},
            {"type":"Hostname","address":"node-a"}],"nodeInfo":{"kubeletVersion":"v1.33.1",
            "containerRuntimeVersion":"containerd://1.6.28","architecture":"arm64"},\
            "runtimeHandlers":[{"name":"","features":{"recursiveReadOnlyMounts":true}},\
            {"name":"runc","features":{"userNamespaces":true}}]}}\
            """);
        server.on("PATCH /api/v1/nodes/node-a", 200, "{}");

        assertThat(api.nodes().get("node-a"))
                .contains(new NodeObject(
                        "node-a",
                        "u",
                        Map.of("a", "b"),
                        List.of("192.0.2.7", "2001:db8::7", "node-a"),
                        new Nodes.NodeSoftware("v1.33.1", "containerd://1.6.28", true)));
        api.nodes().label("node-a", "nvidia.com/gpu.clique", Optional.of("x.1"));
        api.nodes().label("node-a", "nvidia.com/gpu.clique", Optional.empty());

        assertThat(server.requests().stream().map(StubServer.Request::body))
                .containsExactly(
                        "",
                        "{\"metadata\":{\"labels\":{\"nvidia.com/gpu.clique\":\"x.1\"}}}",
                        "{\"metadata\":{\"labels\":{\"nvidia.com/gpu.clique\":null}}}");
        assertThat(server.requests().getLast().header("Content-type")).isEqualTo("application/merge-patch+json");
    }

    private static final Instant TEN = Instant.parse("2026-11-21T10:00:00.123456789Z");
    private static final String EVENTS = "/api/v1/namespaces/default/events";
    private static final String OF_TEN =
            EVENTS + "/node-a." + Long.toHexString(TEN.getEpochSecond() * 1_000_000_000L + TEN.getNano());

    private static Event degraded(Instant at) {
        return Event.ofNode("node-a", true, "CheckImex", "ImexDegraded", "IMEX domain DEGRADED 2/3", at);
    }

    @Test
    void makesAnEventOfTheNodeInTheDefaultNamespace() throws Exception {
        server.on("POST " + EVENTS, 201, "{}");

        api.events().emit(degraded(TEN));

        assertThat(MAPPER.readTree(server.requests().getFirst().body()))
                .isEqualTo(MAPPER.readTree("""
                    {"apiVersion":"v1","kind":"Event",
                     "metadata":{"name":"NAME","namespace":"default"},
                     "involvedObject":{"apiVersion":"v1","kind":"Node","name":"node-a","uid":"node-a"},
                     "type":"Warning","action":"CheckImex","reason":"ImexDegraded","message":"IMEX domain DEGRADED 2/3",
                     "eventTime":"2026-11-21T10:00:00.123456Z","count":1,
                     "firstTimestamp":"2026-11-21T10:00:00Z","lastTimestamp":"2026-11-21T10:00:00Z",
                     "source":{"component":"imex-agent","host":"node-a"},
                     "reportingComponent":"imex-agent","reportingInstance":"node-a"}
                    """.replace("NAME", OF_TEN.substring(EVENTS.length() + 1))));
    }

    @Test
    void anEventThatComesAgainIsCountedInItsSeries() throws Exception {
        server.on("POST " + EVENTS, 201, "{}");
        server.on("PATCH " + OF_TEN, 200, "{}");

        api.events().emit(degraded(TEN));
        api.events().emit(degraded(TEN.plusSeconds(60)));
        api.events().emit(degraded(TEN.plusSeconds(120)));

        assertThat(server.requests()).hasSize(3);
        assertThat(MAPPER.readTree(server.requests().getLast().body())).isEqualTo(MAPPER.readTree("""
            {"count":3,"lastTimestamp":"2026-11-21T10:02:00Z",
             "series":{"count":3,"lastObservedTime":"2026-11-21T10:02:00.123456Z"}}
            """));
        assertThat(server.requests().getLast().header("Content-type")).isEqualTo("application/merge-patch+json");
    }

    @ParameterizedTest
    @CsvSource({"404, NotFound", "403, Forbidden"})
    void aSeriesThatIsGoneOrThatMayNotBeChangedBeginsAgain(int code, String reason) throws Exception {
        server.on("POST " + EVENTS, 201, "{}");
        server.on("PATCH " + OF_TEN, code, status(code, reason, "no", "\"name\":\"node-a\""));

        api.events().emit(degraded(TEN));
        api.events().emit(degraded(TEN.plusSeconds(60)));

        assertThat(server.requests()).hasSize(3);
        assertThat(MAPPER.readTree(server.requests().getLast().body())
                        .path("count")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void aSeriesThatTheServerHasForgottenByNowIsNotAskedFor() throws Exception {
        server.on("POST " + EVENTS, 201, "{}");
        server.on("PATCH " + OF_TEN, 200, "{}");

        api.events().emit(degraded(TEN));
        api.events().emit(degraded(TEN.plusSeconds(3600)));
        api.events().emit(degraded(TEN.plusSeconds(7201)));

        assertThat(server.requests()).extracting(StubServer.Request::method).containsExactly("POST", "PATCH", "POST");
    }

    @Test
    void anEventThatWasRefusedIsMadeTheNextTime() throws Exception {
        server.on("POST " + EVENTS, 403, status(403, "Forbidden", "no", "\"name\":\"\""));
        assertThatThrownBy(() -> api.events().emit(degraded(TEN))).isInstanceOf(ApiException.class);
        server.on("POST " + EVENTS, 201, "{}");

        api.events().emit(degraded(TEN));

        assertThat(server.requests()).hasSize(2);
    }

    @Test
    void whatTheServerTakesOfAnEventIsBounded() throws Exception {
        assertThat(Event.ofNode("n", false, "A", "R", "x".repeat(2000), Instant.EPOCH)
                        .message())
                .endsWith("x…")
                .hasSize(1022);
        assertThat(Event.ofNode("n", false, "A", "R", "ä".repeat(600), Instant.EPOCH)
                        .message()
                        .getBytes(StandardCharsets.UTF_8))
                .hasSizeBetween(1022, 1024);
        server.on("POST " + EVENTS, 201, "{}");
        String node = "n".repeat(235) + "." + "o".repeat(17);

        api.events().emit(Event.ofNode(node, false, "A", "R", "m", Instant.EPOCH));

        JsonNode made = MAPPER.readTree(server.requests().getLast().body());
        assertThat(made.path("reportingInstance").asText()).hasSize(128);
        assertThat(made.at("/metadata/name").asText()).isEqualTo("n".repeat(235) + ".0");
    }

    @Test
    void findsNoNodeThatTheKubeletHasNotRegistered() throws ApiException {
        server.on("GET /api/v1/nodes/node-a", 404, status(404, "NotFound", "none", "\"name\":\"node-a\""));

        assertThat(api.nodes().get("node-a")).isEmpty();
    }

    @Test
    void selectsSlicesByNodeAndDriver() throws ApiException {
        server.on("GET " + SLICES, 200, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}");

        assertThat(api.slices("driver", "node-a").list(NODE)).isEmpty();
        assertThat(server.requests().getFirst().query())
                .contains("fieldSelector=spec.nodeName=node-a,spec.driver=driver");
    }

    @Test
    void takesASliceThatIsGoneForDeleted() throws ApiException {
        server.on("DELETE " + SLICES + "/s", 404, status(404, "NotFound", "none", "\"name\":\"s\""));

        api.slices("driver", "node-a").delete(new ObservedSlice("s", "1", true, new PoolSlice("p", 1, 1, List.of())));

        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void readsAComputeDomainByItsNameOrByItsUid() throws ApiException {
        String domains = "GET /apis/resource.nvidia.com/v1beta1/namespaces/ns/computedomains";
        String item = "{\"metadata\":{\"uid\":\"u\",\"namespace\":\"ns\",\"name\":\"d\",\"resourceVersion\":\"1\"%s}}";
        String deleting = ",\"deletionTimestamp\":\"2026-11-21T12:00:00Z\"";
        var uid = new ComputeDomainUid("u");

        server.on(domains + "/d", 200, item.formatted(""));
        assertThat(api.domains().named("ns", "d")).contains(new DomainRef(uid, "ns", "d", false));
        server.on(domains + "/d", 200, item.formatted(deleting));
        assertThat(api.domains().named("ns", "d")).contains(new DomainRef(uid, "ns", "d", true));
        server.on(domains + "/d", 404, status(404, "NotFound", "none", "\"name\":\"d\""));
        assertThat(api.domains().named("ns", "d")).isEmpty();
        server.on(domains + "/d", 200, "{\"metadata\":{}}");
        assertThatThrownBy(() -> api.domains().named("ns", "d")).isInstanceOf(ApiException.class);

        server.on(
                domains,
                200,
                "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[" + item.formatted(deleting) + "]}");
        assertThat(api.domains().in("ns", uid)).contains(new DomainRef(uid, "ns", "d", true));
        assertThat(api.domains().in("ns", new ComputeDomainUid("v"))).isEmpty();
    }
}
