package io.imexagent.controller.manifests;

import io.imexagent.core.policy.Isolation;

/**
 * What the manifests are for.
 *
 * @param hostManaged whether the gate {@code HostManagedIMEX} is on
 * @param isolation how workloads are kept apart
 * @param admission whether the admission policies are wanted
 * @param namespace the controllers' namespace
 * @param controllerUser the user of the controllers' kubeconfig
 * @param rdma whether agents offer RDMA NICs, {@code rdma.enabled}
 */
public record ManifestOptions(
        boolean hostManaged,
        Isolation isolation,
        boolean admission,
        String namespace,
        String controllerUser,
        boolean rdma) {

    /** Manifests without RDMA NICs. */
    public ManifestOptions(
            boolean hostManaged, Isolation isolation, boolean admission, String namespace, String controllerUser) {
        this(hostManaged, isolation, admission, namespace, controllerUser, false);
    }

    /** The namespace where none is named. */
    public static final String NAMESPACE = "imex-agent";

    /** The controllers' user where none is named: what {@code kubeadm kubeconfig user --client-name} makes. */
    public static final String CONTROLLER_USER = "imex-controller";

    /** Whether each workload has a channel of its own. */
    boolean isolating() {
        return hostManaged && isolation == Isolation.IMEX_CHANNEL;
    }
}
