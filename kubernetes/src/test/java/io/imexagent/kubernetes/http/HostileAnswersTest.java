package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.ClientFixture.failure;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.Claims.ClaimStatusText;
import io.imexagent.kubernetes.Claims.ClaimStatusText.StatusTooLarge;
import io.imexagent.kubernetes.Claims.ClaimStatusText.WholeStatus;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import io.imexagent.kubernetes.Slices.NodeRef;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.UnreadObjects.UnreadObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others put into an object costs that object, and neither the list, the watch nor the process. */
class HostileAnswersTest {

    private static final String NODES = "/api/v1/nodes";
    private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/team/resourceclaims";
    private static final String TEMPLATES = "/apis/resource.k8s.io/v1/resourceclaimtemplates";
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
    @ValueSource(ints = {1_500, 100_000, 2_000_000})
    void readsAnObjectWhosePartsAreNestedDeep(int levels) throws ApiException {
        server.on("GET " + NODES, 200, page(object("a", "{}"), object("b", nested(levels)), object("c", "{}")));

        assertThat(cluster.fabric().kubernetesNodes(Optional.empty()).keySet())
                .containsExactlyInAnyOrder("a", "b", "c");
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
                "LONG NAME",
                "MANY CONDITIONS"
            })
    void leavesOutAnItemThatCannotBeRead(String given) throws ApiException {
        String bad = switch (given) {
            case "LONG NAME" -> object("n".repeat(300_000), "{}");
            case "MANY CONDITIONS" -> object("many", "{}},\"status\":{\"conditions\":[7" + ",7".repeat(5_000) + "]");
            default -> given;
        };
        server.on("GET " + NODES, 200, page(object("a", "{}"), bad, object("c", "{}")));

        assertThat(cluster.fabric().kubernetesNodes(Optional.empty()).keySet()).containsExactlyInAnyOrder("a", "c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TEXT", "NUMBER", "NAME", "NAMES", "STRING"})
    void passesOverWhatIsLongAndNotWanted(String what) throws ApiException {
        String parameters = switch (what) {
            case "TEXT" -> "{\"text\":\"" + "x".repeat(5 << 20) + "\"}";
            case "NUMBER" -> "{\"n\":" + "9".repeat(300_000) + "}";
            case "NAME" -> "{\"" + "n".repeat(300_000) + "\":1}";
            case "NAMES" -> names(20_000);
            default -> "{\"s\":\"" + "\\u003c\\\"".repeat(50_000) + "\"}";
        };
        server.on("GET " + NODES, 200, page(object("a", parameters), object("b", "{}")));

        assertThat(cluster.fabric().kubernetesNodes(Optional.empty()).keySet()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void readsAPageOfAnySizeAsItComes() throws Exception {
        String large = object("NAME", "{\"text\":\"" + "x".repeat(300_000) + "\"}");
        try (var raw = RawServer.answering(OK + "\r\n", to -> {
                    to.write("{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[".getBytes(UTF_8));
                    for (int i = 0; i < 110; i++) {
                        to.write(((i == 0 ? "" : ",") + large.replace("NAME", "object-" + i)).getBytes(UTF_8));
                    }
                    to.write("]}".getBytes(UTF_8));
                });
                var plane = controlPlane(raw.url())) {
            assertThat(plane.fabric().kubernetesNodes(Optional.empty())).hasSize(110);
        }
    }

    @Test
    void waitsLongerForAPageThatIsLong() throws Exception {
        String large = object("NAME", "{\"text\":\"" + "x".repeat(1_000_000) + "\"}");
        try (var raw = RawServer.answering(OK + "\r\n", to -> {
                    to.write("{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[".getBytes(UTF_8));
                    for (int i = 0; i < 8; i++) {
                        to.write(((i == 0 ? "" : ",") + large.replace("NAME", "object-" + i)).getBytes(UTF_8));
                        to.flush();
                        LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
                    }
                    to.write("]}".getBytes(UTF_8));
                });
                var plane = controlPlane(raw.url(), Duration.ofSeconds(1))) {
            assertThat(plane.fabric().kubernetesNodes(Optional.empty())).hasSize(8);
        }
    }

    @Test
    void neverTakesABrokenPageForAShortOne() throws Exception {
        String page = page(object("a", "{}"), object("b", "{}"));
        String half = page.substring(0, page.length() / 2);
        for (int end = 0; end < page.length(); end += 7) {
            server.on("GET " + NODES, 200, page.substring(0, end));
            ApiFailure failure = failure(() -> cluster.fabric().kubernetesNodes(Optional.empty()));
            assertThat(failure.kind()).as(failure.message()).isEqualTo(FailureKind.UNREADABLE);
        }
        try (var raw = RawServer.answering(
                        OK + "Content-Length: " + page.length() + "\r\n\r\n", to -> to.write(half.getBytes(UTF_8)));
                var plane = controlPlane(raw.url())) {
            assertThat(failure(() -> plane.fabric().kubernetesNodes(Optional.empty()))
                            .kind())
                    .isEqualTo(FailureKind.UNREACHABLE);
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

            assertThat(failure.kind()).isEqualTo(FailureKind.UNREADABLE);
            assertThat(failure.message()).contains("it is longer than 67108864 bytes");
        }
    }

    @Test
    void namesTheFieldThatIsTooLong() {
        var name = new ClaimName("team", "a");
        var fixture = new ClientFixture();
        server.on("GET " + CLAIMS + "/a", 200, "{\"metadata\":{\"uid\":\"" + "u".repeat(300_000) + "\"}}");
        assertThat(failure(() -> {
                            try (var api = fixture.client(folder, server)) {
                                return api.claims().get(name);
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .message())
                .contains("ResourceClaim team/a")
                .contains("metadata.uid has more than 1024 bytes");
    }

    @Test
    void keepsADeepStatusAsItIsAndTellsTheSizeOfOneThatIsTooLarge() throws Exception {
        assertThat(status("{\"allocation\":" + nested(32_749) + "}"))
                .isEqualTo(new WholeStatus("{\"allocation\":" + nested(32_749) + "}"));
        assertThat(status("{\"allocation\":" + nested(32_758) + "}")).isEqualTo(new StatusTooLarge((64 << 10) + 1));
        assertThat(status("{\"x\":\"" + "\u00fc".repeat(3 << 20) + "\"}")).isEqualTo(new StatusTooLarge((6 << 20) + 8));
    }

    private ClaimStatusText status(String json) throws Exception {
        server.on("GET " + CLAIMS + "/a", 200, "{\"metadata\":{\"uid\":\"u\"},\"status\":" + json + "}\n");
        try (var api = new ClientFixture().client(folder, server)) {
            return api.claims().get(new ClaimName("team", "a")).orElseThrow().status();
        }
    }

    @Test
    void asksForAPageThatBreaksOffInHalvesDownToOneObject() throws ApiException {
        List<String> names = IntStream.range(0, 6).mapToObj(i -> "object-" + i).toList();
        server.on("GET " + NODES, (request, client) -> {
            int limit = Integer.parseInt(request.query().replaceAll("limit=([0-9]+).*", "$1"));
            int from = request.query().contains("continue")
                    ? Integer.parseInt(request.query().replaceAll(".*continue=", ""))
                    : 0;
            int to = Math.min(from + limit, names.size());
            String items = names.subList(from, to).stream()
                    .map(name -> object(name, "{}"))
                    .collect(Collectors.joining(","));
            // A server that gets no further than two objects.
            return StubServer.json(
                    200,
                    "{\"items\":[" + items
                            + (to - from > 2
                                    ? ""
                                    : "],\"metadata\":{\"resourceVersion\":\"1\",\"continue\":\""
                                            + (to < names.size() ? to : "") + "\"}}"));
        });

        assertThat(cluster.fabric().kubernetesNodes(Optional.empty()).keySet())
                .containsExactlyInAnyOrderElementsOf(names);
        assertThat(server.requests().stream().map(StubServer.Request::query))
                .startsWith("limit=200", "limit=100", "limit=50", "limit=25", "limit=12", "limit=6", "limit=3")
                .endsWith("limit=1&continue=4", "limit=1&continue=5");
    }

    @Test
    void aPageThatNeverGoesAsFarAsOneObjectIsAFailure() {
        server.on("GET " + NODES, 200, "{\"items\":[" + object("a", "{}"));
        assertThat(failure(() -> cluster.fabric().kubernetesNodes(Optional.empty()))
                        .kind())
                .isEqualTo(FailureKind.UNREADABLE);
        assertThat(server.requests()).hasSize(8);

        server.on("GET " + NODES, 200, "{\"items\":[{");
        assertThat(failure(() -> cluster.fabric().kubernetesNodes(Optional.empty()))
                        .kind())
                .isEqualTo(FailureKind.UNREADABLE);
        assertThat(server.requests()).hasSize(9);
    }

    @Test
    void namesWhatCannotBeReadUntilItCanOrIsGone() throws Exception {
        BlockingQueue<String> lines = StubServer.lines();
        watching(page(object("a", "{}"), hostile("b")), lines);
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("all a");
        var reason = "what is wanted of it takes more than 262144 bytes";
        var b = new UnreadObject("team/b", reason);
        Polling.until(() -> cluster.unread()
                .equals(Map.of("resourceclaimtemplates.resource.k8s.io", new UnreadObjects(1, List.of(b)))));

        lines.add(event("MODIFIED", hostile("a"), 6));
        lines.add(event("MODIFIED", hostile("a"), 7));
        var a = new UnreadObject("team/a", reason);
        Polling.until(() -> cluster.unread()
                .equals(Map.of("resourceclaimtemplates.resource.k8s.io", new UnreadObjects(2, List.of(b, a)))));

        lines.add(event("DELETED", hostile("b"), 8));
        lines.add(event("MODIFIED", object("a", "{}"), 9));
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("gone uid-b");
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("present a");
        Polling.until(() -> cluster.unread().isEmpty());
    }

    @Test
    void ofManyObjectsThatCannotBeReadSomeAreNamed() throws Exception {
        String[] objects = IntStream.range(0, 1_200)
                .mapToObj(i -> object("object-" + i, "{}").replace("\"namespace\":\"team\",", ""))
                .toArray(String[]::new);
        watching(page(objects), StubServer.lines());

        Polling.until(() -> cluster.unread().size() == 1);
        UnreadObjects unread = cluster.unread().values().iterator().next();
        assertThat(unread.count()).isEqualTo(1_200);
        assertThat(unread.first()).hasSize(10);
        assertThat(unread.toString())
                .contains("object-9 (no metadata.namespace)")
                .endsWith("and 1190 more");
    }

    @Test
    void aWatchGoesOnAfterAnObjectThatCannotBeRead() throws Exception {
        BlockingQueue<String> lines = StubServer.lines();
        watching(page(object("a", "{}")), lines);
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("all a");

        lines.add(event("MODIFIED", hostile("a"), 6));
        lines.add(event("ADDED", object("deep", nested(200_000)), 7));
        lines.add(event("ADDED", object("long", "{\"text\":\"" + "x".repeat(5 << 20) + "\"}"), 8));
        lines.add("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"uid\":\"u\"},\"x\"}}");
        lines.add("{\"type\":\"ADDED\",\"object\":{\"metadata\":7}}");
        lines.add("{\"type\":\"ADDED\",\"object\":[]}");
        lines.add("{\"type\":\"DELETED\",\"object\":{}}");
        lines.add(event("ADDED", object("b", "{}"), 9));

        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("present deep");
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("present long");
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("present b");
        StubServer.end(lines);
        Polling.until(() -> watches().size() == 2);
        assertThat(watches().getLast()).contains("resourceVersion=9");
        assertThat(server.requests().stream()
                        .filter(request ->
                                request.method().equals("GET") && request.path().equals(TEMPLATES)))
                .hasSize(1);
    }

    @Test
    void anObjectThatCannotBeReadAnyMoreIsNotGone() throws Exception {
        BlockingQueue<String> lines = StubServer.lines();
        watching(page(object("a", "{}"), object("b", "{}")), lines);
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("all a b");
        server.on("GET " + TEMPLATES, 200, page(hostile("a"), object("c", "{}")));

        lines.add("{\"type\":\"ERROR\",\"object\":" + StubServer.status(410, "Expired", "too old", "") + "}");

        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("all a c");
    }

    @Test
    void aWatchBeginsAnewWhereItsStreamIsNoJson() throws Exception {
        BlockingQueue<String> lines = StubServer.lines();
        watching(page(object("a", "{}")), lines);
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
            assertThat(failure(() -> api.domains().in("team", new ComputeDomainUid("u")))
                            .message())
                    .contains("cannot read all ComputeDomains of namespace team");
            assertThat(failure(() -> api.slices("driver", "node-a").list(new NodeRef("node-a", "uid")))
                            .kind())
                    .isEqualTo(FailureKind.UNREADABLE);
        }
    }

    private void watching(String page, BlockingQueue<String> lines) {
        server.on("GET " + TEMPLATES, 200, page);
        server.on("WATCH " + TEMPLATES, (request, client) -> server.stream(lines));
        cluster.watch(news -> {}, this::tell, news -> {}, news -> {});
    }

    private List<String> watches() {
        return server.requests().stream()
                .filter(request -> request.method().equals("WATCH"))
                .map(StubServer.Request::query)
                .toList();
    }

    /** Writes down what is told of templates. */
    private void tell(WatchUpdate<TemplateObject> news) {
        told.add(
                switch (news) {
                    case WatchUpdate.ObjectsListed<TemplateObject>(List<TemplateObject> objects, String version) ->
                        "all "
                                + String.join(
                                        " ", names(objects).stream().sorted().toList());
                    case WatchUpdate.ObjectChanged<TemplateObject>(TemplateObject object) ->
                        "present " + object.ref().name();
                    case WatchUpdate.ObjectDeleted<TemplateObject>(String uid, String version) -> "gone " + uid;
                });
    }

    private static List<String> names(List<TemplateObject> templates) {
        return templates.stream().map(template -> template.ref().name()).toList();
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

    /** A template of which more is wanted than is taken. */
    private static String hostile(String name) {
        return object(name, "{}")
                .replace(
                        "\"resourceVersion\"",
                        "\"finalizers\":[" + "\"example.com/x\",".repeat(5_000) + "\"y\"],\"resourceVersion\"");
    }

    /** An object with a part that nobody wants. */
    private static String object(String name, String part) {
        return """
        {"metadata":{"uid":"uid-%s","namespace":"team","name":"%s","resourceVersion":"5"},"spec":{"unwanted":%s}}""".formatted(name, name, part);
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
