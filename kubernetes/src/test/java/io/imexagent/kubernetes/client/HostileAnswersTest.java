package io.imexagent.kubernetes.client;

import static io.imexagent.kubernetes.client.ClientFixture.failure;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.Kind;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Slices.NodeRef;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.WatchNews;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others put into an object costs that object, and neither the list, the watch nor the process. */
class HostileAnswersTest {

    private static final String NAMESPACED = "/apis/resource.k8s.io/v1/namespaces/team/resourceclaims";
    private static final String CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

    @TempDir
    Path folder;

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private StubServer server;
    private HttpControlPlane cluster;

    @BeforeEach
    void start() throws IOException {
        server = StubServer.plain();
        cluster = controlPlane("http://127.0.0.1:" + server.port());
    }

    private HttpControlPlane controlPlane(String url) throws IOException {
        return controlPlane(url, Duration.ofSeconds(60));
    }

    private HttpControlPlane controlPlane(String url, Duration requestTimeout) throws IOException {
        return new ClientFixture().controlPlane(folder, url, requestTimeout);
    }

    @AfterEach
    void stop() {
        cluster.close();
        server.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1_500, 100_000})
    void readsAClaimWhoseParametersAreNestedDeep(int levels) throws ApiException {
        server.on("GET " + NAMESPACED, 200, page(claim("a", "{}"), claim("b", nested(levels)), claim("c", "{}")));

        assertThat(names(cluster.claims("team"))).containsExactly("a", "b", "c");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7",
                "null",
                "\"text\"",
                "[]",
                "{}",
                "{\"metadata\":null}",
                "{\"metadata\":{\"name\":\"nobody\"}}",
                "{\"metadata\":{\"uid\":\"u\"},\"x\"}",
                "{\"metadata\":{\"uid\":\"u\"},\"spec\":nonsense}",
                "LONG",
                "DEEP",
                "LONG NAME"
            })
    void leavesOutAnItemThatCannotBeRead(String given) throws ApiException {
        String bad = switch (given) {
            case "LONG" -> claim("long", "{\"text\":\"" + "x".repeat(5 << 20) + "\"}");
            case "DEEP" -> claim("deep", nested(200_000));
            case "LONG NAME" -> claim("n".repeat(300_000), "{}");
            default -> given;
        };
        server.on("GET " + NAMESPACED, 200, page(claim("a", "{}"), bad, claim("c", "{}")));

        assertThat(names(cluster.claims("team"))).containsExactly("a", "c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NUMBER", "NAME", "NAMES", "STRING"})
    void passesOverWhatIsLongAndNotWanted(String what) throws ApiException {
        String parameters = switch (what) {
            case "NUMBER" -> "{\"n\":" + "9".repeat(300_000) + "}";
            case "NAME" -> "{\"" + "n".repeat(300_000) + "\":1}";
            case "NAMES" -> names(20_000);
            default -> "{\"s\":\"" + "\\u003c\\\"".repeat(50_000) + "\"}";
        };
        server.on("GET " + NAMESPACED, 200, page(claim("a", parameters), claim("b", "{}")));

        assertThat(names(cluster.claims("team"))).containsExactly("a", "b");
    }

    @Test
    void readsAPageOfAnySizeAsItComes() throws Exception {
        String large = claim("NAME", "{\"text\":\"" + "x".repeat(300_000) + "\"}");
        try (var raw = RawServer.answering(OK + "\r\n", to -> {
                    to.write("{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[".getBytes(UTF_8));
                    for (int i = 0; i < 110; i++) {
                        to.write(((i == 0 ? "" : ",") + large.replace("NAME", "claim-" + i)).getBytes(UTF_8));
                    }
                    to.write("]}".getBytes(UTF_8));
                });
                var plane = controlPlane(raw.url())) {
            assertThat(plane.claims("team")).hasSize(110);
        }
    }

    @Test
    void waitsLongerForAPageThatIsLong() throws Exception {
        String large = claim("NAME", "{\"text\":\"" + "x".repeat(1_000_000) + "\"}");
        try (var raw = RawServer.answering(OK + "\r\n", to -> {
                    to.write("{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[".getBytes(UTF_8));
                    for (int i = 0; i < 8; i++) {
                        to.write(((i == 0 ? "" : ",") + large.replace("NAME", "claim-" + i)).getBytes(UTF_8));
                        to.flush();
                        LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
                    }
                    to.write("]}".getBytes(UTF_8));
                });
                var plane = controlPlane(raw.url(), Duration.ofSeconds(1))) {
            assertThat(plane.claims("team")).hasSize(8);
        }
    }

    @Test
    void neverTakesABrokenPageForAShortOne() throws Exception {
        String page = page(claim("a", "{}"), claim("b", "{}"));
        String half = page.substring(0, page.length() / 2);
        for (int end = 0; end < page.length(); end += 7) {
            server.on("GET " + NAMESPACED, 200, page.substring(0, end));
            ApiFailure failure = failure(() -> cluster.claims("team"));
            assertThat(failure.kind()).as(failure.message()).isEqualTo(Kind.UNREADABLE);
        }
        try (var raw = RawServer.answering(
                        OK + "Content-Length: " + page.length() + "\r\n\r\n", to -> to.write(half.getBytes(UTF_8)));
                var plane = controlPlane(raw.url())) {
            assertThat(failure(() -> plane.claims("team")).kind()).isEqualTo(Kind.UNREACHABLE);
        }
    }

    @Test
    void givesUpAnObjectThatDoesNotEnd() throws Exception {
        byte[] more = "x".repeat(64 << 10).getBytes(UTF_8);
        try (var raw = RawServer.answering(OK + "\r\n", to -> {
                    to.write("{\"metadata\":{\"uid\":\"".getBytes(UTF_8));
                    while (true) {
                        to.write(more);
                    }
                });
                var api = new ClientFixture().client(folder, raw.url(), "token: hunter2")) {
            ApiFailure failure = failure(() -> api.claims().get(new ClaimName("team", "a")));

            assertThat(failure.kind()).isEqualTo(Kind.UNREADABLE);
            assertThat(failure.message()).contains("it is longer than 4194304 bytes");
        }
    }

    @Test
    void namesTheFieldThatIsTooLong() {
        var name = new ClaimName("team", "a");
        var fixture = new ClientFixture();
        server.on("GET " + NAMESPACED + "/a", 200, "{\"metadata\":{\"uid\":\"" + "u".repeat(300_000) + "\"}}");
        assertThat(failure(() -> {
                            try (var api = fixture.client(folder, server)) {
                                return api.claims().get(name);
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .message())
                .contains("ResourceClaim team/a")
                .contains("metadata.uid is longer than 262144 characters");
        server.on(
                "GET " + NAMESPACED + "/a",
                200,
                "{\"metadata\":{\"uid\":\"u\"},\"status\":{\"x\":\"" + "x".repeat(3 << 20) + "\"}}");
        assertThat(failure(() -> {
                            try (var api = fixture.client(folder, server)) {
                                return api.claims().get(name);
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .message())
                .contains("status is longer than 2097152 characters");
    }

    @Test
    void keepsADeepStatusAsItIs() throws Exception {
        String status = "{\"allocation\":" + nested(100_000) + "}";
        server.on("GET " + NAMESPACED + "/a", 200, "{\"metadata\":{\"uid\":\"u\"},\"status\":" + status + "}\n");
        try (var api = new ClientFixture().client(folder, server)) {
            assertThat(api.claims()
                            .get(new ClaimName("team", "a"))
                            .orElseThrow()
                            .statusJson())
                    .isEqualTo(status);
        }
    }

    @Test
    void aWatchGoesOnAfterAnObjectThatCannotBeRead() throws Exception {
        BlockingQueue<String> lines = StubServer.lines();
        watching(page(claim("a", "{}")), lines);
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("all a");

        lines.add(event("MODIFIED", claim("a", nested(200_000)), 6));
        lines.add(event("ADDED", claim("deep", nested(100_000)), 7));
        lines.add(event("ADDED", claim("long", "{\"text\":\"" + "x".repeat(5 << 20) + "\"}"), 8));
        lines.add("{\"type\":\"ADDED\",\"object\":{\"metadata\":7}}");
        lines.add("{\"type\":\"ADDED\",\"object\":[]}");
        lines.add("{\"type\":\"DELETED\",\"object\":{}}");
        lines.add(event("ADDED", claim("b", "{}"), 9));

        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("present deep");
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("present b");
        StubServer.end(lines);
        Waiting.until(() -> watches().size() == 2);
        assertThat(watches().getLast()).contains("resourceVersion=9");
        assertThat(server.requests().stream()
                        .filter(request ->
                                request.method().equals("GET") && request.path().equals(CLAIMS)))
                .hasSize(1);
    }

    @Test
    void anObjectThatCannotBeReadAnyMoreIsNotGone() throws Exception {
        BlockingQueue<String> lines = StubServer.lines();
        watching(page(claim("a", "{}"), claim("b", "{}")), lines);
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("all a b");
        server.on("GET " + CLAIMS, 200, page(claim("a", nested(200_000)), claim("c", "{}")));

        lines.add("{\"type\":\"ERROR\",\"object\":" + StubServer.status(410, "Expired", "too old", "") + "}");

        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("all a c");
    }

    @Test
    void aWatchBeginsAnewWhereItsStreamIsNoJson() throws Exception {
        BlockingQueue<String> lines = StubServer.lines();
        watching(page(claim("a", "{}")), lines);
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("all a");

        lines.add("<html>");
        lines.add("</html>");

        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("all a");
    }

    @Test
    void anObjectThatCannotBeReadIsNotTakenForNone() throws Exception {
        String domains = "/apis/resource.nvidia.com/v1beta1/namespaces/team/computedomains";
        server.on("GET " + domains, 200, page("{\"metadata\":{\"uid\":\"u\"}}"));
        server.on("GET /apis/resource.k8s.io/v1/resourceslices", 200, page("{\"metadata\":{\"uid\":\"u\"}}"));
        try (var api = new ClientFixture().client(folder, server)) {
            assertThat(failure(() -> api.domains().live(new ComputeDomainUid("u"), "team"))
                            .message())
                    .contains("cannot read all ComputeDomains of namespace team");
            assertThat(failure(() -> api.slices("driver", "node-a").list(new NodeRef("node-a", "uid")))
                            .kind())
                    .isEqualTo(Kind.UNREADABLE);
        }
    }

    private void watching(String page, BlockingQueue<String> lines) {
        server.on("GET " + CLAIMS, 200, page);
        server.on("WATCH " + CLAIMS, (request, client) -> server.stream(lines));
        cluster.watch(news -> {}, news -> {}, this::tell, news -> {});
    }

    private List<String> watches() {
        return server.requests().stream()
                .filter(request -> request.method().equals("WATCH"))
                .map(StubServer.Request::query)
                .toList();
    }

    /** Writes down what is told of claims. */
    private void tell(WatchNews<ClaimUse> news) {
        told.add(
                switch (news) {
                    case WatchNews.All<ClaimUse>(List<ClaimUse> objects, String version) ->
                        "all "
                                + String.join(
                                        " ", names(objects).stream().sorted().toList());
                    case WatchNews.Present<ClaimUse>(ClaimUse object) ->
                        "present " + object.ref().name();
                    case WatchNews.Gone<ClaimUse>(String uid) -> "gone " + uid;
                });
    }

    private static List<String> names(List<ClaimUse> claims) {
        return claims.stream().map(claim -> claim.ref().name()).toList();
    }

    private static String names(int count) {
        var names = new StringBuilder("{");
        for (int i = 0; i < count; i++) {
            names.append(i == 0 ? "" : ",")
                    .append("\"name-")
                    .append(i)
                    .append("\":")
                    .append(i);
        }
        return names.append('}').toString();
    }

    private static String nested(int levels) {
        return "{\"x\":" + "[".repeat(levels) + "]".repeat(levels) + "}";
    }

    private static String claim(String name, String parameters) {
        return """
        {"metadata":{"uid":"uid-%s","namespace":"team","name":"%s","resourceVersion":"5"},"spec":{"devices":{"config":[\
        {"opaque":{"driver":"gpu.example.com","parameters":%s}},\
        {"opaque":{"driver":"%s","parameters":{"domainID":"domain"}}}]}}}""".formatted(name, name, parameters, DriverNames.DRIVER);
    }

    private static String page(String... items) {
        return "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[" + String.join(",", items)
                + "]}";
    }

    private static String event(String type, String object, int version) {
        return "{\"type\":\"" + type + "\",\"object\":"
                + object.replace("\"resourceVersion\":\"5\"", "\"resourceVersion\":\"" + version + "\"") + "}";
    }
}
