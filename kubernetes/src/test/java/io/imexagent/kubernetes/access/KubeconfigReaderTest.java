package io.imexagent.kubernetes.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubeconfigReaderTest {

    @TempDir
    Path folder;

    private static final Path FILE = Path.of("/etc/kubernetes/kubelet.conf");

    private static final String KUBELET = """
            apiVersion: v1
            kind: Config
            clusters:
            - name: other
              cluster: {server: "https://elsewhere"}
            - name: kubernetes
              cluster:
                certificate-authority-data: Q0E=
                server: https://10.0.0.1:6443/
            contexts:
            - name: system:node:a@kubernetes
              context: {cluster: kubernetes, user: system:node:a}
            current-context: system:node:a@kubernetes
            users:
            - name: system:node:a
              user:
                client-certificate: pki/client.pem
                client-key: KEY_FILE
            """;

    @Test
    void readsTheCurrentContextOfAKubeletsFile() throws Exception {
        Path key = Files.writeString(folder.resolve("key.pem"), "KEY");
        Path certificate =
                Files.writeString(Files.createDirectory(folder.resolve("pki")).resolve("client.pem"), "OWN");
        String text = KUBELET.replace("KEY_FILE", key.toString());

        KubeconfigReader.Kubeconfig kubeconfig = KubeconfigReader.read(
                folder.resolve("kubelet.conf"), text.getBytes(StandardCharsets.UTF_8), Optional.empty());

        assertThat(kubeconfig.server()).isEqualTo(URI.create("https://10.0.0.1:6443"));
        assertThat(kubeconfig.insecure()).isFalse();
        assertThat(kubeconfig.authority().map(Pem::text)).contains("CA");
        assertThat(kubeconfig.key()).contains(new Pem(key.toString(), "KEY"));
        assertThat(kubeconfig.certificate())
                .as("relative to the file's folder")
                .contains(new Pem(certificate.toString(), "OWN"));
    }

    @Test
    void readsAnExecPlugin() throws AccessException {
        KubeconfigReader.ExecConfig exec = read(user("""
                                exec:
                                  apiVersion: client.authentication.k8s.io/v1
                                  command: bin/mint
                                  args: [--cluster, a]
                                  env: [{name: REGION, value: north}]
                                  provideClusterInfo: true
                                """)).exec().orElseThrow();

        assertThat(exec.command()).isEqualTo("/etc/kubernetes/bin/mint");
        assertThat(exec.arguments()).containsExactly("--cluster", "a");
        assertThat(exec.environment()).containsExactly(Map.entry("REGION", "north"));
        assertThat(exec.clusterInfo().orElseThrow().path("server").asText()).isEqualTo("https://host:6443");
    }

    @Test
    void givesAnExecPluginTheContentOfTheAuthoritysFile() throws Exception {
        Files.writeString(folder.resolve("ca.crt"), "authority");
        String text = """
                current-context: c
                contexts: [{name: c, context: {cluster: a, user: u}}]
                clusters: [{name: a, cluster: {server: "https://host:6443", certificate-authority: ca.crt}}]
                users:
                - name: u
                  user:
                    exec: {apiVersion: client.authentication.k8s.io/v1, command: mint, provideClusterInfo: true}
                """;

        KubeconfigReader.Kubeconfig read = KubeconfigReader.read(
                folder.resolve("config"), text.getBytes(StandardCharsets.UTF_8), Optional.empty());

        assertThat(read.exec()
                        .orElseThrow()
                        .clusterInfo()
                        .orElseThrow()
                        .path("certificate-authority-data")
                        .asText())
                .isEqualTo("YXV0aG9yaXR5");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "username: u",
                "password: p",
                "auth-provider: {name: oidc}",
                "as: root",
                "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: mint}",
                "exec: {apiVersion: client.authentication.k8s.io/v1, command: mint, interactiveMode: Always}",
                "client-key-data: '%%%='"
            })
    void refusesWhatItCouldOnlyIgnore(String user) {
        assertThatThrownBy(() -> read(user(user)))
                .isInstanceOf(AccessException.class)
                .hasMessageStartingWith("kubeconfig /etc/kubernetes/kubelet.conf: ");
    }

    @Test
    void refusesPlainHttpToAnotherHostUnlessTheFileMeansIt() throws AccessException {
        String plain = user("token: t").replace("https://host:6443", "http://host:8080");

        assertThatThrownBy(() -> read(plain)).hasMessageContaining("without TLS");
        assertThat(read(plain.replace("cluster: {", "cluster: {insecure-skip-tls-verify: true, "))
                        .insecure())
                .isTrue();
        assertThat(read(plain.replace("http://host:", "http://127.0.0.1:")).server())
                .isEqualTo(URI.create("http://127.0.0.1:8080"));
    }

    @Test
    void quotesNoSecretOfABrokenFile() {
        assertThatThrownBy(() -> read("users:\n- user: {token: hunter2\n  - ]"))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("no YAML")
                .hasNoCause()
                .message()
                .doesNotContain("hunter2");
    }

    @Test
    void readsTheNamedContextAndListsContextsWhereThereIsNone() throws AccessException {
        byte[] content = """
                current-context: one
                contexts:
                - {name: one, context: {cluster: a, user: u}}
                - {name: two, context: {cluster: b, user: u}}
                clusters:
                - {name: a, cluster: {server: "https://a:6443"}}
                - {name: b, cluster: {server: "https://b:6443"}}
                users: [{name: u, user: {token: t}}]
                """.getBytes(StandardCharsets.UTF_8);

        assertThat(KubeconfigReader.read(FILE, content, Optional.empty()).server())
                .hasToString("https://a:6443");
        assertThat(KubeconfigReader.read(FILE, content, Optional.of("two")).server())
                .hasToString("https://b:6443");
        assertThat(KubeconfigReader.read(FILE, content, Optional.of("two")).context())
                .contains("two");
        assertThatThrownBy(() -> KubeconfigReader.read(FILE, content, Optional.of("three")))
                .hasMessage("kubeconfig /etc/kubernetes/kubelet.conf: its contexts have no three; use another context:"
                        + " it has one, two");
    }

    @Property(tries = 300)
    void throwsNothingUnforeseenOnArbitraryBytes(@ForAll byte[] content) {
        try {
            KubeconfigReader.read(FILE, content, Optional.empty());
        } catch (AccessException e) {
            assertThat(e).hasMessageContaining("kubelet.conf");
        }
    }

    private static KubeconfigReader.Kubeconfig read(String text) throws AccessException {
        return KubeconfigReader.read(FILE, text.getBytes(StandardCharsets.UTF_8), Optional.empty());
    }

    private static String user(String fields) {
        return """
        clusters:
        - name: c
          cluster: {server: "https://host:6443"}
        contexts:
        - name: x
          context: {cluster: c, user: u}
        current-context: x
        users:
        - name: u
          user:
        %s
        """.formatted(fields.indent(4).stripTrailing());
    }
}
