package io.imexagent.agent.config;

import io.imexagent.kubernetes.access.ClusterAccess;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The usual paths and units of kubelets in the distributions of Kubernetes, which {@code docs/install.md} lists. They
 * are searched if the configuration names none.
 */
final class KubeletPaths {

    /**
     * Kubeconfigs, in the order of search. Kubeadm's is the second, since on OpenShift this path is the kubelet's own
     * configuration and the first path is the kubeconfig.
     */
    static final String KUBECONFIGS = "/var/lib/kubelet/kubeconfig, /etc/kubernetes/kubelet.conf,"
            + " /var/lib/rancher/k3s/agent/kubelet.kubeconfig, /var/lib/rancher/rke2/agent/kubelet.kubeconfig,"
            + " /var/lib/microshift/resources/kubelet/kubeconfig, /var/lib/k0s/kubelet.conf,"
            + " /var/snap/microk8s/current/credentials/kubelet.config";

    /** Root directories other than the kubelet's default, which always exists because the package creates it. */
    static final String ROOTS = "/var/lib/k0s/kubelet, /var/snap/microk8s/common/var/lib/kubelet";

    /** The units of kubelets in most distributions, and in k3s, RKE2, k0s, MicroShift, MicroK8s and EKS on Ubuntu. */
    static final String UNITS = "kubelet.service, k3s.service, k3s-agent.service, rke2-server.service,"
            + " rke2-agent.service, k0sworker.service, k0scontroller.service, microshift.service,"
            + " snap.microk8s.daemon-kubelite.service, snap.kubelet-eks.daemon.service";

    private KubeletPaths() {}

    static List<String> units() {
        return List.of(UNITS.split(", ", -1));
    }

    /** The kubeconfigs, below a root. */
    static List<Path> kubeconfigs(Path root) {
        return below(root, KUBECONFIGS);
    }

    /** The existing kubeconfig; empty if there is none, or if this user may not check. */
    static Optional<Path> kubeconfig(Path root) {
        return ClusterAccess.of(kubeconfigs(root))
                .kubeconfig()
                .filter(file -> Files.exists(file, LinkOption.NOFOLLOW_LINKS));
    }

    /**
     * The root directory if it is not the kubelet's default: that of the distribution whose kubeconfig exists, or
     * without a kubeconfig the first existing one. A directory that another distribution left behind does not count.
     */
    static Optional<Path> root(Path root) {
        return below(root, ROOTS).stream()
                .filter(Files::isDirectory)
                .filter(found -> kubeconfig(root)
                        .filter(file -> !file.startsWith(home(root, found)))
                        .isEmpty())
                .findFirst();
    }

    /** The directory of all files of a distribution: two levels below {@code /var}. */
    private static Path home(Path root, Path found) {
        return root.resolve(root.relativize(found).subpath(0, 3));
    }

    private static List<Path> below(Path root, String places) {
        return Arrays.stream(places.split(", ", -1))
                .map(place -> root.resolve(place.substring(1)))
                .toList();
    }
}
