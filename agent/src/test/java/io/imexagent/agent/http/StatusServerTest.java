package io.imexagent.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.check.Condition;
import io.imexagent.dra.fake.GuardedVertx;
import io.imexagent.testing.api.tls.ClientTls;
import io.imexagent.testing.api.tls.IssuedCertificate;
import io.imexagent.testing.api.tls.TestAuthority;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StatusServerTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final long OFTEN_MS = 20;

    @TempDir
    private Path folder;

    private final GuardedVertx vertx = new GuardedVertx();
    private final FakePages pages = new FakePages();

    @AfterEach
    void close() {
        vertx.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/metrics, 'text/plain; version=0.0.4; charset=utf-8', 'imex_agent_api_up 1.0\n'",
        "/inventory, application/json, '{\"gpus\":[]}'",
        "/healthz, text/plain; charset=utf-8, '[+] workers: all move\nok\n'",
        "/readyz, text/plain; charset=utf-8, '[+] registered: by the kubelet\nok\n'",
        "/, text/plain; charset=utf-8, '/metrics\n/healthz\n/readyz\n/inventory\n'",
        "/metrics?name=up, 'text/plain; version=0.0.4; charset=utf-8', 'imex_agent_api_up 1.0\n'",
    })
    void servesItsPages(String path, String type, String text) throws Exception {
        HttpResponse<String> response = get(plain(), path);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains(type);
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(response.body()).isEqualTo(text);
    }

    @Test
    void whoHasADocumentAlreadyDoesNotGetItAgain() throws Exception {
        pages.document(PageReply.polled("{\"racks\":[]}", "{\"racks\":[]}"));
        int port = plain();
        String version = get(port, "/inventory").headers().firstValue("ETag").orElseThrow();

        assertThat(get(port, "/inventory", "If-None-Match", version).statusCode())
                .isEqualTo(304);
        assertThat(get(port, "/inventory", "If-None-Match", version).body()).isEmpty();
        pages.document(PageReply.polled("{\"racks\":[1]}", "{\"racks\":[1]}"));
        assertThat(get(port, "/inventory", "If-None-Match", version).body()).isEqualTo("{\"racks\":[1]}");
    }

    @ParameterizedTest
    @CsvSource({
        "gzip, true",
        "'deflate, gzip;q=1.0', true",
        "identity, false",
        "'deflate, gzip;q=0', false",
        "'gzip;q=0.0, br', false"
    })
    void aLargeDocumentIsCompressedForWhoTakesIt(String accepted, boolean compressed) throws Exception {
        pages.document(PageReply.json("x".repeat(100_000)));

        HttpResponse<String> answer = get(plain(), "/inventory", "Accept-Encoding", accepted);

        assertThat(answer.headers().firstValue("Content-Encoding").isPresent()).isEqualTo(compressed);
        assertThat(answer.headers().firstValueAsLong("Content-Length").orElseThrow() < 100_000)
                .isEqualTo(compressed);
    }

    /** Else a page of somebody else's could make a browser on this host read documents to it (DNS rebinding). */
    @ParameterizedTest
    @CsvSource({
        "localhost:9408, 200",
        "127.0.0.1:1, 200",
        "[::1]:9408, 200",
        "rebound.example.com:9408, 403",
        "localhost.example.com, 403",
        "a{b.example.com, 403",
        "a`b.example.com:9408, 403"
    })
    void aDocumentIsShownToWhoAsksThisHostByAnAddress(String host, int status) throws Exception {
        int port = plain();
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write(("GET /inventory HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
        }
    }

    @Test
    void makesItsPagesAwayFromTheEventLoop() throws Exception {
        get(plain(), "/metrics");

        assertThat(pages.threads()).singleElement().asString().contains("worker");
    }

    @Test
    void isNotReadyWhileAConditionDoesNotHold() throws Exception {
        pages.readiness(
                new Condition("registered", true, "by the kubelet"),
                new Condition("published", false, "no device major"));

        HttpResponse<String> response = get(plain(), "/readyz");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.body())
                .isEqualTo("[+] registered: by the kubelet\n[-] published: no device major\nfailed\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/metric", "/metrics/", "/favicon.ico", "/../etc/passwd"})
    void knowsNoOtherPage(String path) throws Exception {
        HttpResponse<String> response = get(plain(), path);

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.body()).contains("/metrics");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH"})
    void takesNothingIn(String method) throws Exception {
        HttpResponse<String> response = send(
                HttpClient.newHttpClient(),
                HttpRequest.newBuilder(uri("http", plain(), "/metrics"))
                        .method(method, HttpRequest.BodyPublishers.ofString("x"))
                        .build());

        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(response.headers().firstValue("Allow")).contains("GET, HEAD");
    }

    @Test
    void answersHeadWithoutABody() throws Exception {
        HttpResponse<String> response = send(
                HttpClient.newHttpClient(),
                HttpRequest.newBuilder(uri("http", plain(), "/readyz")).HEAD().build());

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
    }

    @Test
    void tellsOfAPageThatCannotBeMadeWithoutItsSecrets() throws Exception {
        pages.breakDown();

        HttpResponse<String> response = get(plain(), "/metrics");

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.body()).isEqualTo("the page could not be made; see the agent's log\n");
    }

    @Test
    void failsToListenWhereThePortIsTaken() throws Exception {
        int taken = plain();
        var second = new StatusServer(
                vertx.vertx(), new HttpSettings("127.0.0.1", taken, FakePages.PLAIN), pages, new FakeReviews(), false);

        assertThatThrownBy(() -> await(second.listen()))
                .hasMessageContaining("in use")
                .hasMessageContaining("free the port, or set http.address and http.port");
    }

    @Test
    void failsToListenWithAKeyThatIsNone() throws Exception {
        HttpSettings.Tls tls = write(TestAuthority.create(Clock.systemUTC()));
        var swapped = new HttpSettings.Tls(tls.key(), tls.certificate(), Optional.empty());

        assertThatThrownBy(() -> listen(swapped))
                .hasStackTraceContaining("cannot use http.tls.certificate " + folder.resolve("tls.key"))
                .hasStackTraceContaining("http.tls.key " + folder.resolve("tls.crt"));
    }

    @Test
    void saysWhichCertificateIsMissing() throws Exception {
        HttpSettings.Tls tls = write(TestAuthority.create(Clock.systemUTC()));
        Files.delete(folder.resolve("tls.crt"));

        assertThatThrownBy(() -> listen(tls))
                .hasStackTraceContaining("cannot use http.tls.certificate " + folder.resolve("tls.crt"));
    }

    @Test
    void saysThatTheAuthorityOfItsClientsIsNone() throws Exception {
        HttpSettings.Tls tls = write(TestAuthority.create(Clock.systemUTC()));
        var keyed = new HttpSettings.Tls(tls.certificate(), tls.key(), Optional.of(folder.resolve("missing")));

        assertThatThrownBy(() -> listen(keyed))
                .hasStackTraceContaining("cannot use http.tls.clientCa " + folder.resolve("missing"));
    }

    @Test
    void servesOverTls() throws Exception {
        TestAuthority authority = TestAuthority.create(Clock.systemUTC());
        int port = listen(write(authority));

        HttpResponse<String> response = getTls(authority, port);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("imex_agent_api_up 1.0\n");
    }

    @Test
    void speaksNoPlainHttpOnATlsPort() throws Exception {
        int port = listen(write(TestAuthority.create(Clock.systemUTC())));

        assertThatThrownBy(() -> get(port, "/metrics")).isInstanceOf(IOException.class);
    }

    @Test
    void exchangesItsCertificateWithoutARestart() throws Exception {
        TestAuthority first = TestAuthority.create(Clock.systemUTC());
        TestAuthority second = TestAuthority.create(Clock.systemUTC());
        int port = listen(write(first));
        assertThat(getTls(first, port).statusCode()).isEqualTo(200);

        write(second);

        assertThat(getTlsOnceTrusted(second, port).statusCode()).isEqualTo(200);
        assertThatThrownBy(() -> getTls(first, port)).isInstanceOf(SSLException.class);
    }

    /** The files are links through a link, which the kubelet replaces; root owns them, and the pod's group may read. */
    @Test
    void exchangesACertificateThatTheKubeletKeepsInASecretsVolume() throws Exception {
        TestAuthority first = TestAuthority.create(Clock.systemUTC());
        TestAuthority second = TestAuthority.create(Clock.systemUTC());
        writeVolume("..first", first);
        Files.createSymbolicLink(folder.resolve("tls.crt"), Path.of("..data", "tls.crt"));
        Files.createSymbolicLink(folder.resolve("tls.key"), Path.of("..data", "tls.key"));
        int port = listen(new HttpSettings.Tls(
                Optional.of(folder.resolve("tls.crt")), Optional.of(folder.resolve("tls.key")), Optional.empty()));
        assertThat(getTls(first, port).statusCode()).isEqualTo(200);

        writeVolume("..second", second);

        assertThat(getTlsOnceTrusted(second, port).statusCode()).isEqualTo(200);
    }

    private void writeVolume(String version, TestAuthority authority) throws Exception {
        Path data = Files.createDirectory(folder.resolve(version));
        IssuedCertificate issued = authority.issueServer();
        for (Path file : List.of(
                Files.writeString(data.resolve("tls.key"), issued.keyPem()),
                Files.writeString(data.resolve("tls.crt"), issued.certificatePem()))) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r-----"));
        }
        Path next = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of(version));
        Files.move(next, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Writes a certificate of this authority and its key over what stands there. */
    private HttpSettings.Tls write(TestAuthority authority) throws Exception {
        IssuedCertificate issued = authority.issueServer();
        Path key = Files.writeString(folder.resolve("tls.key"), issued.keyPem());
        Path certificate = Files.writeString(folder.resolve("tls.crt"), issued.certificatePem());
        return new HttpSettings.Tls(Optional.of(certificate), Optional.of(key), Optional.empty());
    }

    private HttpResponse<String> getTlsOnceTrusted(TestAuthority authority, int port) throws Exception {
        long end = System.nanoTime() + LONG.toNanos();
        while (true) {
            try {
                return getTls(authority, port);
            } catch (SSLException stillTheOldOne) {
                assertThat(System.nanoTime())
                        .as("the certificate was exchanged")
                        .isLessThan(end);
                Thread.sleep(OFTEN_MS);
            }
        }
    }

    private int plain() throws Exception {
        return listen(FakePages.PLAIN);
    }

    private int listen(HttpSettings.Tls tls) throws Exception {
        var server = new StatusServer(
                vertx.vertx(),
                new HttpSettings("127.0.0.1", 0, tls),
                pages,
                new FakeReviews(),
                false,
                new StatusServer.Tuning(OFTEN_MS, LONG.toMillis(), DocumentAccess::isLocal));
        return await(server.listen());
    }

    private static HttpResponse<String> get(int port, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri("http", port, path));
        for (int header = 0; header < headers.length; header += 2) {
            request.header(headers[header], headers[header + 1]);
        }
        return send(HttpClient.newHttpClient(), request.build());
    }

    private static HttpResponse<String> getTls(TestAuthority authority, int port) throws Exception {
        return send(
                HttpClient.newBuilder()
                        .sslContext(ClientTls.context(authority.pem(), Optional.empty()))
                        .build(),
                HttpRequest.newBuilder(uri("https", port, "/metrics")).build());
    }

    private static HttpResponse<String> send(HttpClient client, HttpRequest request) throws Exception {
        try (client) {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    private static URI uri(String scheme, int port, String path) {
        return URI.create(scheme + "://127.0.0.1:" + port + path);
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(LONG.toSeconds(), TimeUnit.SECONDS);
    }
}
