package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubeletPathsTest {

    private static final List<Path> KUBECONFIGS = KubeletPaths.kubeconfigs(Path.of("/"));
    private static final Path UNITS = Path.of("../systemd/units");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc/kubernetes/kubelet.conf",
                "/var/lib/kubelet/kubeconfig",
                "/var/lib/rancher/k3s/agent/kubelet.kubeconfig",
                "/var/lib/rancher/rke2/agent/kubelet.kubeconfig",
                "/var/lib/microshift/resources/kubelet/kubeconfig",
                "/var/lib/k0s/kubelet.conf",
                "/var/snap/microk8s/current/credentials/kubelet.config"
            })
    void findsTheKubeconfigOfEachDistribution(String path) {
        var host = new ConfigFixture(folder).kubelets(path);

        assertThat(host.valueOf("kubernetes.kubeconfig")).isEqualTo(path + " from found on this host");
        assertThat(host.config().kubeconfigs()).isEqualTo(KUBECONFIGS).contains(Path.of(path));
        assertThat(SectionedText.of(host.config())).contains(path + "  # found on this host");
    }

    @Test
    void whatIsSetIsNotLookedFor() {
        var host = new ConfigFixture(folder)
                .kubelets("/etc/kubernetes/kubelet.conf")
                .kubelets("/var/lib/k0s/kubelet")
                .set("kubernetes.kubeconfig=/own.conf")
                .set("kubelet.root=/own");

        assertThat(host.valueOf("kubernetes.kubeconfig")).isEqualTo("/own.conf from flag --set");
        assertThat(host.config().kubeconfigs()).containsExactly(Path.of("/own.conf"));
        assertThat(host.valueOf("kubelet.root")).isEqualTo("/own from flag --set");
    }

    /** Its /etc/kubernetes/kubelet.conf is the kubelet's configuration (machine-config-operator, kubelet.service). */
    @Test
    void onOpenShiftTheKubeletsConfigurationIsNotTakenForItsKubeconfig() {
        var host = new ConfigFixture(folder)
                .kubelets("/etc/kubernetes/kubelet.conf")
                .kubelets("/var/lib/kubelet/kubeconfig");

        assertThat(host.valueOf("kubernetes.kubeconfig"))
                .isEqualTo("/var/lib/kubelet/kubeconfig from found on this host");
    }

    @Test
    void whereNoneIsThereYetAllAreLookedForLater() {
        var host = new ConfigFixture(folder);

        assertThat(host.valueOf("kubernetes.kubeconfig")).isEqualTo("(not set) from default");
        assertThat(host.config().kubeconfigs()).isEqualTo(KUBECONFIGS);
    }

    @Test
    void findsTheKubeletsRootWhereItIsNotTheDefault() {
        assertThat(new ConfigFixture(folder).valueOf("kubelet.root")).isEqualTo("/var/lib/kubelet from default");

        var microk8s = new ConfigFixture(folder).kubelets("/var/snap/microk8s/common/var/lib/kubelet");
        assertThat(microk8s.valueOf("kubelet.root"))
                .isEqualTo("/var/snap/microk8s/common/var/lib/kubelet from found on this host");

        var k0s = microk8s.kubelets("/var/lib/k0s/kubelet").kubelets("/var/lib/kubelet");
        assertThat(k0s.valueOf("kubelet.root")).isEqualTo("/var/lib/k0s/kubelet from found on this host");
    }

    @Test
    void aRootThatAnotherDistributionHasLeftBehindIsNotTheKubelets() {
        var kubeadm = new ConfigFixture(folder)
                .kubelets("/etc/kubernetes/kubelet.conf")
                .kubelets("/var/lib/k0s/kubelet");
        assertThat(kubeadm.valueOf("kubelet.root")).isEqualTo("/var/lib/kubelet from default");
    }

    @Test
    void theRootIsOfTheDistributionWhoseKubeconfigIsThere() {
        var k0s = new ConfigFixture(folder)
                .kubelets("/var/lib/k0s/kubelet.conf")
                .kubelets("/var/lib/k0s/kubelet")
                .kubelets("/var/snap/microk8s/common/var/lib/kubelet");
        assertThat(k0s.valueOf("kubelet.root")).isEqualTo("/var/lib/k0s/kubelet from found on this host");
    }

    @Test
    void theUnitLetsTheAgentWriteBelowEveryRootAndHidesThePods() throws IOException {
        String agent = Files.readString(UNITS.resolve("imex-agent.service"));
        String controller = Files.readString(UNITS.resolve("imex-controller.service"));

        for (String root : (KubeletPaths.ROOTS + ", /var/lib/kubelet").split(", ", -1)) {
            assertThat(agent)
                    .containsPattern("(?m)^RequiresMountsFor=.*" + root + "( |$)")
                    .containsPattern("(?m)^ReadWritePaths=.*-" + root + "( |$)")
                    .containsPattern("(?m)^NoExecPaths=.*" + root + "( |$)")
                    .containsPattern("(?m)^InaccessiblePaths=.*-" + root + "/pods( |$)");
            assertThat(controller).containsPattern("(?m)^InaccessiblePaths=.*-" + root + "( |$)");
        }
    }

    @Test
    void theDocsSayWhoseEachPlaceIs() throws IOException {
        String page = Files.readString(Path.of("../docs/install.md"));
        String section = page.substring(page.indexOf("## Where the kubelet keeps its things"));

        assertThat(section).containsSubsequence(KubeletPaths.KUBECONFIGS.split(", ", -1));
        assertThat(section).contains(KubeletPaths.ROOTS.split(", ", -1));
    }
}
