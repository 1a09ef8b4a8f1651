package io.imexagent.kubernetes.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.kubernetes.access.AccessSource.Access;
import io.imexagent.testing.api.tls.KeyKind;
import io.imexagent.testing.api.tls.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccessSourceTest {

    @TempDir
    Path folder;

    private final SettableClock clock = new SettableClock();

    @Test
    void seesNoChangeWhereNothingChanged() throws Exception {
        AccessSource source = source("token: one");
        Access first = source.read(false);

        assertThat(source.read(false)).isSameAs(first);
    }

    @Test
    void keepsConnectionsWhereOnlyTheTokenChanged() throws Exception {
        AccessSource source = source("token: one");
        Access first = source.read(false);

        write("token: two");
        Access second = source.read(false);

        assertThat(second.token()).contains("two");
        assertThat(second.connectionFingerprint()).isEqualTo(first.connectionFingerprint());
    }

    @Test
    void takesTheTokenThatReplacedTheOneInTheFile() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "one\n");
        AccessSource source = source("tokenFile: token");
        Access first = source.read(false);
        assertThat(first.token()).contains("one");
        assertThat(source.read(false)).isSameAs(first);

        Files.writeString(file, "two");
        Access second = source.read(false);

        assertThat(second.token()).contains("two");
        assertThat(second.connectionFingerprint()).isEqualTo(first.connectionFingerprint());
        assertThat(second.toString()).contains("token of " + file).doesNotContain("two");
    }

    @Test
    void saysWhichTokenFileIsMissing() throws Exception {
        AccessSource source = source("tokenFile: absent");

        assertThatThrownBy(() -> source.read(false))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("token file " + folder.resolve("absent"));
    }

    @Test
    void refusesATokenThatNoHeaderCanHoldWithoutShowingIt() throws Exception {
        AccessSource source = source("token: \"hun\\nter2\"");

        assertThatThrownBy(() -> source.read(false))
                .isInstanceOf(AccessException.class)
                .message()
                .startsWith("kubeconfig " + folder)
                .contains("holds no token")
                .doesNotContain("ter2");
    }

    @Test
    void seesThatTheKubeletMovedItsSymbolicLink() throws Exception {
        TestAuthority authority = TestAuthority.create(Clock.systemUTC());
        for (String file : List.of("first.pem", "second.pem")) {
            authority
                    .issueClient("node-a", List.of(), KeyKind.EC_SEC1, Duration.ofHours(1))
                    .writePem(folder.resolve(file));
        }
        Path current = Files.createSymbolicLink(folder.resolve("current.pem"), folder.resolve("first.pem"));
        AccessSource source = source("client-certificate: current.pem\n    client-key: current.pem");
        Access first = source.read(false);

        Path next = Files.createSymbolicLink(folder.resolve("next.pem"), folder.resolve("second.pem"));
        Files.move(next, current, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Access second = source.read(false);

        assertThat(second.connectionFingerprint()).isNotEqualTo(first.connectionFingerprint());
        assertThat(second.identity())
                .contains("client certificate of CN=node-a")
                .contains("valid until 2");
    }

    @Test
    void saysWhatToDoWhereTheKubeconfigIsMissing() {
        var source = new AccessSource(ClusterAccess.of(List.of(folder.resolve("absent.conf"))), clock);

        assertThatThrownBy(() -> source.read(false))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("absent.conf does not exist")
                .hasMessageContaining("kubernetes.kubeconfig");
    }

    @Test
    void takesTheFirstKubeconfigThatExistsAndStaysWithIt() throws Exception {
        Path second = Files.createDirectory(folder.resolve("second"));
        Path third = Files.createDirectory(folder.resolve("third"));
        AccessSource source = anyOf(folder, second, third);
        write(third, "token: third");
        write(second, "token: second");
        assertThat(source.read(false).identity()).isEqualTo("kubeconfig " + second + "/kubeconfig (its token)");

        write("token: first");
        assertThat(source.read(false).token()).contains("second");
        Files.delete(second.resolve("kubeconfig"));
        assertThatThrownBy(() -> source.read(false)).hasMessageContaining(second + "/kubeconfig does not exist");
    }

    @Test
    void namesAllKubeconfigsWhereNoneExistsAndFindsTheOneThatComes() throws Exception {
        Path second = Files.createDirectory(folder.resolve("second"));
        AccessSource source = anyOf(folder, second);

        assertThatThrownBy(() -> source.read(false))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("none of " + folder + "/kubeconfig, " + second + "/kubeconfig")
                .hasMessageContaining("kubernetes.kubeconfig");

        write(second, "token: come");
        assertThat(source.read(false).token()).contains("come");
    }

    @Test
    void aKubeconfigThatCannotBeReadIsAFaultOfItsOwnAndNotPassedOver() throws Exception {
        Path second = Files.createDirectory(folder.resolve("second"));
        AccessSource source = anyOf(folder, second);
        write(second, "token: second");
        Path first = Files.createSymbolicLink(folder.resolve("kubeconfig"), folder.resolve("gone"));

        assertThatThrownBy(() -> source.read(false)).hasMessageContaining("kubeconfig " + first + " does not exist");

        Files.delete(first);
        Files.createDirectory(first);
        assertThatThrownBy(() -> source.read(false)).hasMessageContaining("cannot read kubernetes.kubeconfig " + first);
    }

    /** OpenShift's /etc/kubernetes/kubelet.conf, while the kubelet has no kubeconfig yet. */
    @Test
    void aFileThatIsNoKubeconfigGivesWayToOneThatComesBeforeIt() throws Exception {
        Path second = Files.createDirectory(folder.resolve("second"));
        AccessSource source = anyOf(folder, second);
        Files.writeString(
                second.resolve("kubeconfig"),
                "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\n");
        assertThatThrownBy(() -> source.read(false))
                .hasMessageContaining("kubeconfig " + second + "/kubeconfig: it has no current-context");

        write("token: joined");
        assertThat(source.read(false).token()).contains("joined");
    }

    @Test
    void namesTheKeyOfTheControllersKubeconfigWhereThatIsMissing() {
        Path absent = folder.resolve("controller.conf");
        var source = new AccessSource(ClusterAccess.of("controller.kubeconfig", absent), clock);

        assertThatThrownBy(() -> source.read(false))
                .hasMessage("controller.kubeconfig " + absent
                        + " does not exist; docs/controller.md says how to make it; or set controller.kubeconfig to"
                        + " another file");
    }

    @Test
    void saysWhereTheKubeconfigOfClaimsStatusIsDescribedWhereThatIsMissing() {
        Path absent = folder.resolve("status.conf");
        var source = new AccessSource(ClusterAccess.of("kubernetes.claimStatusKubeconfig", absent), clock);

        assertThatThrownBy(() -> source.read(false))
                .hasMessage("kubernetes.claimStatusKubeconfig " + absent
                        + " does not exist; docs/rights.md#the-status-of-claims says how to make it; or set"
                        + " kubernetes.claimStatusKubeconfig to another file");
    }

    @Test
    void takesTheServiceAccountOfItsPodWhereNoKubeconfigExists() throws Exception {
        Path account = mount("one");
        AccessSource source = inPod("10.96.0.1", "443");

        Access first = source.read(false);
        assertThat(first.server()).hasToString("https://10.96.0.1:443");
        assertThat(first.tls()).isPresent();
        assertThat(first.token()).contains("one");
        assertThat(first.identity()).isEqualTo("service account (token of " + account.resolve("token") + ")");
        assertThat(source.read(false)).isSameAs(first);

        // As the kubelet does it: all files of a volume change at once, by one link.
        Path next = Files.createSymbolicLink(account.resolve("..data_tmp"), data(account, "2", "two"));
        Files.move(
                next, account.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Access second = source.read(false);

        assertThat(second.token()).contains("two");
        assertThat(second.connectionFingerprint())
                .as("of another authority")
                .isNotEqualTo(first.connectionFingerprint());
    }

    @Test
    void saysWhereAnAccessLeadsAndThatAServiceAccountHasNoContext() throws Exception {
        mount("one");
        ClusterAccess pod = podAccess("10.96.0.1", "443");

        assertThat(AccessSource.target(pod)).isEqualTo("the service account of this pod, https://10.96.0.1:443");
        assertThatThrownBy(() -> AccessSource.target(pod.withContext(Optional.of("admin"))))
                .hasMessageContaining("so there is no context admin; ");

        Path file = write("token: own");
        assertThat(AccessSource.target(pod)).startsWith("kubeconfig " + file + ", context x, http");
    }

    @Test
    void prefersAKubeconfigToTheServiceAccount() throws Exception {
        mount("of the pod");
        AccessSource source = inPod("10.96.0.1", "443");
        write("token: own");

        assertThat(source.read(false).token()).contains("own");
    }

    @Test
    void namesTheKubeconfigWhereThePodHasNoToken() throws Exception {
        Files.delete(mount("one").resolve("token"));

        assertThatThrownBy(() -> inPod("10.96.0.1", "443").read(false))
                .hasMessageStartingWith("controller.kubeconfig " + folder.resolve("kubeconfig") + " does not exist");
    }

    @Test
    void isNoPodWithoutTheAddressOfTheServer() throws Exception {
        mount("one");

        assertThatThrownBy(() -> inPod("", "443").read(false)).hasMessageContaining("does not exist");
        assertThatThrownBy(() -> inPod("10.96.0.1", "").read(false)).hasMessageContaining("does not exist");
    }

    @Test
    void refusesAnAddressThatIsNone() throws Exception {
        mount("one");

        assertThat(inPod("fd00::1", "6443").read(false).server()).hasToString("https://[fd00::1]:6443");
        assertThatThrownBy(() -> inPod("10.96.0.1", "tcp://10.96.0.1:443").read(false))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("KUBERNETES_SERVICE_PORT");
    }

    private AccessSource inPod(String host, String port) {
        return new AccessSource(podAccess(host, port), clock);
    }

    private ClusterAccess podAccess(String host, String port) {
        return ClusterAccess.of("controller.kubeconfig", folder.resolve("kubeconfig"))
                .orServiceAccount(Map.of("KUBERNETES_SERVICE_HOST", host, "KUBERNETES_SERVICE_PORT", port), folder);
    }

    /** Lays out the volume of a service account, and returns its folder. */
    private Path mount(String token) throws IOException {
        Path account = Files.createDirectories(folder.resolve("var/run/secrets/kubernetes.io/serviceaccount"));
        Files.createSymbolicLink(account.resolve("..data"), data(account, "1", token));
        for (String file : List.of("token", "ca.crt")) {
            Files.createSymbolicLink(account.resolve(file), Path.of("..data", file));
        }
        return account;
    }

    private static Path data(Path account, String generation, String token) throws IOException {
        Path data = Files.createDirectories(account.resolve(".." + generation));
        Files.writeString(data.resolve("token"), token);
        Files.writeString(
                data.resolve("ca.crt"), TestAuthority.create(Clock.systemUTC()).pem());
        return data;
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1beta1"})
    void takesATokenFromAPlugin(String version) throws Exception {
        AccessSource source = plugin(
                version,
                "printf '%s' \"$KUBERNETES_EXEC_INFO\" > " + folder + "/info; "
                        + print(version, "\"token\":\"minted\""));

        Access access = source.read(false);

        assertThat(access.token()).contains("minted");
        assertThat(folder.resolve("info"))
                .content()
                .contains("\"interactive\":false")
                .contains("client.authentication.k8s.io/" + version);
    }

    @Test
    void runsAPluginAgainOnlyWhenItsCredentialEndsOrIsRefused() throws Exception {
        String expiry = "\"expirationTimestamp\":\"" + clock.instant().plus(Duration.ofMinutes(10)) + "\"";
        AccessSource source =
                plugin("v1", "echo run >> " + folder + "/runs; " + print("v1", "\"token\":\"minted\"," + expiry));
        Access access = source.read(false);

        source.read(false);
        assertThat(Files.readAllLines(folder.resolve("runs"))).hasSize(1);
        source.read(true);
        assertThat(Files.readAllLines(folder.resolve("runs"))).hasSize(2);
        clock.advance(Duration.ofMinutes(10));
        assertThat(access.expired(clock.instant())).isTrue();
        source.read(false);
        assertThat(Files.readAllLines(folder.resolve("runs"))).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo hunter2; exit 3",
                "echo hunter2",
                "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"other\",\"status\":{\"token\":\"hunter2\"}}'",
                "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
                        + "\"status\":{\"clientKeyData\":\"hunter2\"}}'"
            })
    void saysThatAPluginFailedWithoutShowingWhatItPrinted(String script) throws IOException {
        AccessSource source = plugin("v1", script);

        assertThatThrownBy(() -> source.read(false))
                .isInstanceOf(AccessException.class)
                .hasNoCause()
                .message()
                .contains("credential plugin " + folder.resolve("mint"))
                .doesNotContain("hunter2");
    }

    @Test
    void doesNotRunAFailingPluginForEveryCaller() throws IOException {
        AccessSource source = plugin("v1", "echo run >> " + folder + "/runs; exit 1");
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> source.read(false)).isInstanceOf(AccessException.class);
        }

        assertThat(Files.readAllLines(folder.resolve("runs"))).hasSize(1);
    }

    @Test
    void givesTheInstallHintOfAPluginThatIsNotThere() throws IOException {
        AccessSource source = source(
                "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./absent, installHint: get it there}");

        assertThatThrownBy(() -> source.read(false)).hasMessageEndingWith("; get it there");
    }

    private AccessSource plugin(String version, String script) throws IOException {
        Path mint = Files.writeString(folder.resolve("mint"), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(mint, PosixFilePermissions.fromString("rwx------"));
        return source("exec: {apiVersion: client.authentication.k8s.io/" + version + ", command: ./mint}");
    }

    private static String print(String version, String status) {
        return "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/" + version
                + "\",\"status\":{" + status + "}}'";
    }

    private AccessSource source(String user) throws IOException {
        return new AccessSource(ClusterAccess.of(List.of(write(user))), clock);
    }

    private AccessSource anyOf(Path... folders) {
        return new AccessSource(
                ClusterAccess.of(Stream.of(folders)
                        .map(place -> place.resolve("kubeconfig"))
                        .toList()),
                clock);
    }

    private Path write(String user) throws IOException {
        return write(folder, user);
    }

    private static Path write(Path place, String user) throws IOException {
        return KubeconfigFile.write(place, "https://127.0.0.1:1", "insecure-skip-tls-verify: true", user);
    }
}
