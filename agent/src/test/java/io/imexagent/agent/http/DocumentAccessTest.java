package io.imexagent.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.dra.fake.GuardedVertx;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.http.HttpKubernetesApi;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.tls.ClientTls;
import io.imexagent.testing.api.tls.IssuedCertificate;
import io.imexagent.testing.api.tls.KeyKind;
import io.imexagent.testing.api.tls.TestAuthority;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who sees documents of a real server. All tests are on one host, so who counts as from elsewhere is said. */
class DocumentAccessTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir
    private Path folder;

    private final GuardedVertx vertx = new GuardedVertx();
    private final List<HttpClient> clients = new ArrayList<>();
    private final FakeReviews fake = new FakeReviews();
    private TestAuthority authority;

    @BeforeEach
    void makeAuthority() throws Exception {
        authority = TestAuthority.create(Clock.systemUTC());
    }

    @AfterEach
    void close() {
        clients.forEach(HttpClient::shutdownNow);
        vertx.close();
    }

    @Test
    void thisHostSeesThemWithoutBeingAsked() throws Exception {
        int port = listen(false, fake, DocumentAccess::isLocal);

        HttpResponse<String> response = get(client(), "http", port, "/inventory");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("{\"gpus\":[]}");
        assertThat(fake.asked()).isZero();
    }

    @Test
    void overPlainHttpNobodyElseSeesThemWhateverTheySay() throws Exception {
        fake.allow("jane", true);
        int port = listen(false, fake, DocumentAccessTest::nobodyIsLocal);

        HttpResponse<String> response = get(
                client(),
                "http",
                port,
                "/inventory",
                "Authorization",
                "Bearer jane's",
                "X-Forwarded-For",
                "127.0.0.1",
                "Forwarded",
                "for=127.0.0.1");

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body())
                .contains("came from 127.0.0.1", "curl localhost:" + port + "/inventory", "http.tls.certificate")
                .doesNotContain("gpus");
        assertThat(fake.asked()).isZero();
    }

    @Test
    void whoIsRefusedByAPodIsToldAWayToThePod() throws Exception {
        int port = listen(false, fake, DocumentAccessTest::nobodyIsLocal, true);

        HttpResponse<String> response = get(client(), "http", port, "/inventory");

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body())
                .contains("kubectl port-forward", "curl localhost:" + port + "/inventory", "deployment.tlsSecret")
                .doesNotContain("host itself", "on the host");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/metrics", "/healthz", "/readyz", "/"})
    void metricsAndHealthAreEverybodys(String path) throws Exception {
        int plain = listen(false, fake, DocumentAccessTest::nobodyIsLocal);
        int tls = listen(true, fake, DocumentAccessTest::nobodyIsLocal);

        assertThat(get(client(), "http", plain, path).statusCode()).isEqualTo(200);
        assertThat(get(client(), "https", tls, path).statusCode()).isEqualTo(200);
        assertThat(fake.asked()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Basic amFuZTpqYW5l", "Bearer", "Bearer  ", "jane's"})
    void whoShowsNothingIsAskedWhoTheyAre(String authorization) throws Exception {
        int port = listen(true, fake, DocumentAccessTest::nobodyIsLocal);

        HttpResponse<String> response = authorization.isEmpty()
                ? get(client(), "https", port, "/inventory")
                : get(client(), "https", port, "/inventory", "Authorization", authorization);

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.headers().firstValue("WWW-Authenticate")).contains("Bearer");
        assertThat(fake.asked()).isZero();
    }

    @Test
    void theApiServerSaysWhoSeesThem() throws Exception {
        var options = new ApiDoubleOptions()
                .token("jane's", new UserIdentity("jane", Set.of("operators")))
                .token("john's", new UserIdentity("john", Set.of()));
        try (ApiDouble server = ApiDouble.start(options);
                var api = new HttpKubernetesApi(
                        ClusterAccess.of(List.of(server.writeKubeconfig(
                                folder.resolve("kubeconfig"), new Login.TokenLogin("node:tray-1")))),
                        "test",
                        InstantSource.system(),
                        () -> 0.5,
                        ApiObserver.NONE)) {
            server.grantPath("operators", "/inventory");
            int port = listen(true, api.reviews(), DocumentAccessTest::nobodyIsLocal);

            assertThat(withToken(port, "jane's").body()).isEqualTo("{\"gpus\":[]}");
            HttpResponse<String> refused = withToken(port, "john's");
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body())
                    .contains("user john may not get /inventory", "--clusterrole=imex-agent-documents --user=john");
            HttpResponse<String> unknown = withToken(port, "nobody's");
            assertThat(unknown.statusCode()).isEqualTo(401);
            assertThat(unknown.headers().firstValue("WWW-Authenticate")).contains("Bearer");

            server.goAway();
            HttpResponse<String> unanswered = withToken(port, "new");
            assertThat(unanswered.statusCode()).isEqualTo(503);
            assertThat(unanswered.body()).contains("did not answer").doesNotContain(server.url());
            assertThat(withToken(port, "jane's").statusCode())
                    .as("who was admitted a moment ago")
                    .isEqualTo(200);
        }
    }

    @Test
    void aCertificateNamesUserAndGroups() throws Exception {
        int port = listen(true, fake, DocumentAccessTest::nobodyIsLocal);
        HttpClient jane =
                client(Optional.of(authority.issueClient("jane", List.of("ops, dev"), KeyKind.EC_PKCS8, HOUR)));

        assertThat(get(jane, "https", port, "/inventory").body()).contains("user jane may not get");
        fake.allow("ops, dev", true);
        HttpClient john =
                client(Optional.of(authority.issueClient("john", List.of("a", "ops, dev"), KeyKind.EC_PKCS8, HOUR)));
        assertThat(get(john, "https", port, "/inventory").statusCode()).isEqualTo(200);
        fake.allow("system:authenticated", true);
        HttpClient joan = client(Optional.of(authority.issueClient("joan", List.of(), KeyKind.EC_PKCS8, HOUR)));
        assertThat(get(joan, "https", port, "/inventory").statusCode()).isEqualTo(200);
    }

    @Test
    void aTokenCountsBeforeACertificate() throws Exception {
        fake.allow("jane", true);
        int port = listen(true, fake, DocumentAccessTest::nobodyIsLocal);
        HttpClient jane = client(Optional.of(authority.issueClient("jane", List.of(), KeyKind.EC_PKCS8, HOUR)));

        assertThat(get(jane, "https", port, "/inventory", "Authorization", "Bearer john's")
                        .body())
                .contains("user john may not get");
    }

    @Test
    void aCertificateThatNamesNobodyIsNone() throws Exception {
        int port = listen(true, fake, DocumentAccessTest::nobodyIsLocal);
        HttpClient unnamed = client(Optional.of(authority.issueClient("", List.of("ops"), KeyKind.EC_PKCS8, HOUR)));

        assertThat(get(unnamed, "https", port, "/inventory").statusCode()).isEqualTo(401);
    }

    @Test
    void acceptsNoCertificateOfAnotherAuthority() throws Exception {
        fake.allow("jane", true);
        int port = listen(true, fake, DocumentAccessTest::nobodyIsLocal);
        IssuedCertificate foreign =
                TestAuthority.create(Clock.systemUTC()).issueClient("jane", List.of(), KeyKind.EC_PKCS8, HOUR);
        IssuedCertificate expired = authority.issueClient("jane", List.of(), KeyKind.EC_PKCS8, HOUR.negated());

        for (IssuedCertificate certificate : List.of(foreign, expired)) {
            // A client that knows whom the server trusts shows it nothing else; one that insists gets no connection.
            HttpClient client = client(Optional.of(certificate));
            try {
                assertThat(get(client, "https", port, "/inventory").statusCode())
                        .isEqualTo(401);
            } catch (IOException refusedByTls) {
                assertThat(refusedByTls).isNotNull();
            }
        }
        assertThat(fake.asked()).isZero();
    }

    @Test
    void onlySoManyAreLookedUpAtATimeAndMetricsAreShownMeanwhile() throws Exception {
        int port = listen(true, fake, DocumentAccessTest::nobodyIsLocal);
        fake.allow("jane", true);
        CountDownLatch held = fake.hold();
        HttpClient client = client();
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waiting.add(client.sendAsync(
                    request("https", port, "/inventory", "Authorization", "Bearer jane's"),
                    HttpResponse.BodyHandlers.ofString()));
        }
        while (fake.asked() < 8) {
            Thread.onSpinWait();
        }

        HttpResponse<String> tooMany = withToken(port, "john's");

        assertThat(tooMany.statusCode()).isEqualTo(503);
        assertThat(tooMany.headers().firstValue("Retry-After")).contains("1");
        assertThat(get(client(), "https", port, "/metrics").statusCode()).isEqualTo(200);
        held.countDown();
        for (CompletableFuture<HttpResponse<String>> one : waiting) {
            assertThat(one.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        }
        assertThat(withToken(port, "john's").statusCode()).isEqualTo(403);
    }

    private static boolean nobodyIsLocal(SocketAddress peer) {
        return false;
    }

    private HttpResponse<String> withToken(int port, String token) throws Exception {
        return get(client(), "https", port, "/inventory", "Authorization", "Bearer " + token);
    }

    private int listen(boolean tls, Reviews reviews, Predicate<SocketAddress> local) throws Exception {
        return listen(tls, reviews, local, false);
    }

    private int listen(boolean tls, Reviews reviews, Predicate<SocketAddress> local, boolean inPod) throws Exception {
        var server = new StatusServer(
                vertx.vertx(),
                new HttpSettings("127.0.0.1", 0, tls ? files() : FakePages.PLAIN),
                new FakePages(),
                reviews,
                inPod,
                new StatusServer.Tuning(HOUR.toMillis(), HOUR.toMillis(), local));
        return server.listen().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private HttpSettings.Tls files() throws Exception {
        IssuedCertificate issued = authority.issueServer();
        return new HttpSettings.Tls(
                Optional.of(Files.writeString(folder.resolve("tls.crt"), issued.certificatePem())),
                Optional.of(Files.writeString(folder.resolve("tls.key"), issued.keyPem())),
                Optional.of(Files.writeString(folder.resolve("ca.crt"), authority.pem())));
    }

    private HttpClient client() throws Exception {
        return client(Optional.empty());
    }

    private HttpClient client(Optional<IssuedCertificate> certificate) throws Exception {
        HttpClient client = HttpClient.newBuilder()
                .sslContext(ClientTls.context(authority.pem(), certificate))
                .build();
        clients.add(client);
        return client;
    }

    private static HttpResponse<String> get(HttpClient client, String scheme, int port, String path, String... headers)
            throws Exception {
        return client.send(request(scheme, port, path, headers), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest request(String scheme, int port, String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(scheme + "://127.0.0.1:" + port + path));
        return (headers.length == 0 ? request : request.headers(headers)).build();
    }
}
