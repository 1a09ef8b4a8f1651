package io.imexagent.testing.api;

import static io.imexagent.testing.api.Client.NODES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.tls.ClientTls;
import io.imexagent.testing.api.tls.IssuedCertificate;
import io.imexagent.testing.api.tls.KeyKind;
import io.imexagent.testing.api.tls.TestAuthority;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who the double takes a client for, over TLS. */
final class AuthenticationTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final ApiDouble api;

    AuthenticationTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions());
    }

    @BeforeEach
    void seed() {
        api.apply(Fixtures.node("tb-node", Fixtures.uid(1)));
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private HttpResponse<String> getOwnNode(Optional<IssuedCertificate> certificate, Optional<String> token)
            throws Exception {
        try (HttpClient http = HttpClient.newBuilder()
                .sslContext(ClientTls.context(api.certificateAuthorityPem(), certificate))
                .build()) {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(api.url() + NODES + "/tb-node"));
            token.ifPresent(text -> request.header("Authorization", "Bearer " + text));
            return http.send(request.build(), BodyHandlers.ofString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void takesUserAndGroupsFromTheClientCertificate(KeyKind kind) throws Exception {
        IssuedCertificate kubelet = api.issueCertificate(UserIdentity.node("tb-node"), kind, HOUR);
        IssuedCertificate stranger = api.issueCertificate(UserIdentity.node("stranger"), kind, HOUR);

        assertThat(getOwnNode(Optional.of(kubelet), Optional.empty()).statusCode())
                .isEqualTo(200);
        HttpResponse<String> refused = getOwnNode(Optional.of(stranger), Optional.empty());
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("User \\\"system:node:stranger\\\" cannot get resource \\\"nodes\\\"");
    }

    @Test
    void answers401WithoutCredentialsAndToUnknownOnes() throws Exception {
        IssuedCertificate expired =
                api.issueCertificate(UserIdentity.node("tb-node"), KeyKind.EC_PKCS8, Duration.ofDays(-1));
        IssuedCertificate foreign = TestAuthority.create(Clock.systemUTC())
                .issueClient("system:node:tb-node", List.of("system:nodes"), KeyKind.EC_PKCS8, HOUR);

        HttpResponse<String> nothing = getOwnNode(Optional.empty(), Optional.empty());
        assertThat(nothing.statusCode()).isEqualTo(401);
        assertThat(nothing.body()).contains("\"reason\":\"Unauthorized\"").contains("\"kind\":\"Status\"");
        assertThat(getOwnNode(Optional.empty(), Optional.of("unknown")).statusCode())
                .isEqualTo(401);
        assertThat(getOwnNode(Optional.of(expired), Optional.empty()).statusCode())
                .isEqualTo(401);
        assertThat(getOwnNode(Optional.of(foreign), Optional.empty()).statusCode())
                .isEqualTo(401);
    }

    @Test
    void acceptsAndRevokesTokensWhileItRuns() throws Exception {
        api.acceptToken("rotated", UserIdentity.node("tb-node"));
        assertThat(getOwnNode(Optional.empty(), Optional.of("rotated")).statusCode())
                .isEqualTo(200);

        api.revokeToken("rotated");
        assertThat(getOwnNode(Optional.empty(), Optional.of("rotated")).statusCode())
                .isEqualTo(401);
    }

    @Test
    void isTrustedOnlyThroughItsOwnAuthority() {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(api.url() + "/version")).build();

            assertThatThrownBy(() -> http.send(request, BodyHandlers.ofString()))
                    .isInstanceOf(SSLHandshakeException.class);
        }
    }

    @Test
    void writesAKubeconfigForEveryKindOfLogin(@TempDir Path directory) throws Exception {
        IssuedCertificate issued = api.issueCertificate(UserIdentity.node("tb-node"), KeyKind.EC_SEC1, HOUR);
        Path pem = directory.resolve("kubelet-client-current.pem");
        issued.writePem(pem);
        Path token = Files.writeString(directory.resolve("token"), "node:tb-node");
        Login.ExecLogin exec = Login.writeExecPlugin(directory.resolve("plugin"), token);

        assertThat(kubeconfig(directory, new Login.EmbeddedCertificate(issued)))
                .contains("server: \"" + api.url() + "\"", "certificate-authority-data: ", "client-key-data: ");
        assertThat(kubeconfig(directory, new Login.CertificateFile(pem)))
                .contains("client-certificate: \"" + pem + "\"", "client-key: \"" + pem + "\"");
        assertThat(kubeconfig(directory, new Login.TokenLogin("abc"))).contains("token: \"abc\"");
        assertThat(kubeconfig(directory, new Login.TokenFile(token))).contains("tokenFile: \"" + token + "\"");
        assertThat(kubeconfig(directory, exec)).contains("command: \"" + exec.command() + "\"");
        assertThat(Files.readString(pem)).contains("BEGIN CERTIFICATE", "BEGIN EC PRIVATE KEY");
    }

    @Test
    void writesAnExecPluginThatPrintsTheTokenOfTheMoment(@TempDir Path directory) throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "first");
        Login.ExecLogin exec = Login.writeExecPlugin(directory.resolve("plugin"), token);
        Files.writeString(token, "second");

        Process process = new ProcessBuilder(exec.command().toString()).start();

        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("\"kind\":\"ExecCredential\"", "\"token\":\"second\"");
        assertThat(process.waitFor()).isZero();
        assertThat(Files.readAllLines(directory.resolve("plugin.runs"))).hasSize(1);
    }

    private String kubeconfig(Path directory, Login login) throws IOException {
        return Files.readString(api.writeKubeconfig(directory.resolve("kubeconfig"), login));
    }
}
