package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.ClientFixture.failure;
import static io.imexagent.kubernetes.http.StubServer.json;
import static io.imexagent.kubernetes.http.StubServer.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.Slices.NodeRef;
import io.imexagent.kubernetes.access.KubeconfigFile;
import io.imexagent.testing.api.tls.IssuedCertificate;
import io.imexagent.testing.api.tls.KeyKind;
import io.imexagent.testing.api.tls.TestAuthority;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {

    private static final ClaimName NAME = new ClaimName("ns", "claim");
    private static final String CLAIM = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/claim";
    private static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices";
    private static final String USER = "client-certificate: current.pem\n    client-key: current.pem";

    @TempDir
    Path folder;

    private final ClientFixture fixture = new ClientFixture();
    private final TestAuthority authority;
    private StubServer server;

    TlsTest() throws Exception {
        authority = TestAuthority.create(Clock.systemUTC());
    }

    @BeforeEach
    void start() throws Exception {
        Files.writeString(folder.resolve("ca.pem"), authority.pem());
        writeClient("old");
        serve(authority.issueServer());
    }

    private void serve(IssuedCertificate certificate) throws Exception {
        // Any client certificate comes through, as at the real API server, which answers 401 itself.
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                certificate.bundle().toKeyManagerFactory().getKeyManagers(),
                InsecureTrustManagerFactory.INSTANCE.getTrustManagers(),
                null);
        server = StubServer.secure(context);
        server.on("GET " + CLAIM, (request, client) -> json(200, "{\"metadata\":{\"uid\":\"" + client + "\"}}"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void asksUnderTheClientCertificate() throws Exception {
        try (var api = client("certificate-authority: ca.pem", USER)) {
            assertThat(api.claims().get(NAME).orElseThrow().uid()).isEqualTo("CN=old");
        }
    }

    @Test
    void takesTheCertificateThatTheKubeletRotatedWithoutLosingAWatch() throws Exception {
        BlockingQueue<List<ObservedSlice>> delivered = new LinkedBlockingQueue<>();
        BlockingQueue<String> lines = StubServer.lines();
        server.on("GET " + SLICES, 200, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}");
        server.on("WATCH " + SLICES, (request, client) -> server.stream(lines));
        server.on(
                "GET " + CLAIM,
                (request, client) -> client.equals("CN=new")
                        ? json(200, "{\"metadata\":{\"uid\":\"u\"}}")
                        : json(401, status(401, "Unauthorized", "Unauthorized", "")));
        try (var api = client("certificate-authority: ca.pem", USER)) {
            api.slices("driver", "node-a").watch(new NodeRef("node-a", "uid"), delivered::add);
            assertThat(delivered.poll(30, TimeUnit.SECONDS)).isEmpty();
            Polling.until(() -> watches() == 1);
            writeClient("new");

            assertThat(api.claims().get(NAME)).isPresent();

            lines.add("""
                    {"type":"ADDED","object":{"metadata":{"name":"s","uid":"u","resourceVersion":"2"},\
                    "spec":{"pool":{"name":"p"}}}}""");
            assertThat(delivered.poll(30, TimeUnit.SECONDS)).hasSize(1);
            assertThat(watches()).isEqualTo(1);
        }
    }

    @Test
    void namesTheIdentityThatTheServerDoesNotKnow() throws Exception {
        server.on("GET " + CLAIM, 401, status(401, "Unauthorized", "Unauthorized", ""));
        try (var api = client("certificate-authority: ca.pem", USER)) {
            ApiFailure failure = failure(() -> api.claims().get(NAME));

            assertThat(failure.kind()).isEqualTo(FailureKind.UNAUTHORIZED);
            assertThat(failure.message()).contains("client certificate of CN=old, valid until 2");
        }
    }

    @Test
    void keepsTheCertificateInUseWhileTheNextIsHalfWritten() throws Exception {
        try (var api = client("certificate-authority: ca.pem", USER)) {
            assertThat(api.claims().get(NAME)).isPresent();
            Files.writeString(folder.resolve("current.pem"), "-----BEGIN CERTIFICATE-----\n");
            server.on(
                    "GET " + CLAIM,
                    (request, client) -> server.requests().size() == 2
                            ? json(401, status(401, "Unauthorized", "Unauthorized", ""))
                            : json(200, "{\"metadata\":{\"uid\":\"u\"}}"));

            assertThat(failure(() -> api.claims().get(NAME)).kind()).isEqualTo(FailureKind.UNAUTHORIZED);
            assertThat(api.claims().get(NAME)).isPresent();
        }
    }

    @Test
    void refusesAServerOfAnotherAuthority() throws Exception {
        Files.writeString(
                folder.resolve("ca.pem"),
                TestAuthority.create(Clock.systemUTC()).pem());
        try (var api = client("certificate-authority: ca.pem", USER)) {
            ApiFailure failure = failure(() -> api.claims().get(NAME));

            assertThat(failure.kind()).isEqualTo(FailureKind.UNREACHABLE);
            assertThat(failure.message()).contains("TLS").contains("not signed by the certificate authority");
        }
    }

    @Test
    void refusesAServerUnderAnotherName() throws Exception {
        server.close();
        serve(authority.issueServer("elsewhere"));
        try (var api = client("certificate-authority: ca.pem", USER)) {
            assertThat(failure(() -> api.claims().get(NAME)).message()).contains("not for this name");
        }
    }

    @Test
    void trustsAnyServerWhereTheKubeconfigSaysSo() throws Exception {
        try (var api = client("insecure-skip-tls-verify: true", USER)) {
            assertThat(api.claims().get(NAME)).isPresent();
        }
    }

    private void writeClient(String name) throws Exception {
        authority
                .issueClient(name, List.of(), KeyKind.EC_SEC1, Duration.ofHours(1))
                .writePem(folder.resolve("current.pem"));
    }

    private long watches() {
        return server.requests().stream()
                .filter(request -> request.method().equals("WATCH"))
                .count();
    }

    private HttpKubernetesApi client(String cluster, String user) throws Exception {
        return fixture.client(
                KubeconfigFile.write(folder, "https://127.0.0.1:" + server.port(), cluster, user),
                Duration.ofSeconds(20));
    }
}
