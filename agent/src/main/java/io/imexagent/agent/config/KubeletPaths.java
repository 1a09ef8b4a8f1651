package io.imexagent.agent.config;

import io.imexagent.kubernetes.access.ClusterAccess;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Where kubelets keep their things, as the distributions of Kubernetes start them: {@code docs/install.md} says which does
 * what. Looked for where the configuration names nothing.
 */
final class KubeletPaths {

    /**
     * Kubeconfigs, in the order in which they are looked for. Kubeadm's comes second: OpenShift keeps the kubelet's own
     * configuration under its name, and the kubeconfig at the first place.
     */
    static final String KUBECONFIGS = "/var/lib/kubelet/kubeconfig, /etc/kubernetes/kubelet.conf,"
            + " /var/lib/rancher/k3s/agent/kubelet.kubeconfig, /var/lib/rancher/rke2/agent/kubelet.kubeconfig,"
            + " /var/lib/microshift/resources/kubelet/kubeconfig, /var/lib/k0s/kubelet.conf,"
            + " /var/snap/microk8s/current/credentials/kubelet.config";

    /** Root directories other than the kubelet's default, which the package makes and so is always there. */
    static final String ROOTS = "/var/lib/k0s/kubelet, /var/snap/microk8s/common/var/lib/kubelet";

    /** The units that run kubelets: of most distributions, and of k3s, RKE2, k0s, MicroShift, MicroK8s and EKS on Ubuntu. */
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

    /** The kubeconfig that is there; empty where none is, or where only a user with more rights can tell. */
    static Optional<Path> kubeconfig(Path root) {
        return ClusterAccess.of(kubeconfigs(root))
                .kubeconfig()
                .filter(file -> Files.exists(file, LinkOption.NOFOLLOW_LINKS));
    }

    /**
     * The root directory where it is not the kubelet's default: of the distribution whose kubeconfig is there, or where no
     * kubeconfig is, the first that is there. A directory that another distribution has left behind counts for nothing.
     */
    static Optional<Path> root(Path root) {
        return below(root, ROOTS).stream()
                .filter(Files::isDirectory)
                .filter(found -> kubeconfig(root)
                        .filter(file -> !file.startsWith(home(root, found)))
                        .isEmpty())
                .findFirst();
    }

    /** What a distribution keeps all of its things below: two names below {@code /var}. */
    private static Path home(Path root, Path found) {
        return root.resolve(root.relativize(found).subpath(0, 3));
    }

    private static List<Path> below(Path root, String places) {
        return Arrays.stream(places.split(", ", -1))
                .map(place -> root.resolve(place.substring(1)))
                .toList();
    }
}
