package io.imexagent.agent.check;

import static io.imexagent.core.check.CheckResult.failure;
import static io.imexagent.core.check.CheckResult.ok;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.http.Endpoint;
import io.imexagent.agent.http.Loopback;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.imex.check.SharingCheck;
import io.imexagent.imex.prepare.Sharing;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.kubernetes.Slices;
import io.imexagent.rdma.dra.RailDriver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The API server and what this node's identity may do there. Nothing is written. */
record ApiChecks(Path kubeconfig, String nodeName, Use use, Supplier<KubernetesApi> opening) {

    /** No ComputeDomain has it: whoever may look for it may read them all. */
    private static final ComputeDomainUid NO_DOMAIN = new ComputeDomainUid("00000000-0000-0000-0000-000000000000");

    List<CheckResult> run() {
        var results = new ArrayList<CheckResult>();
        if (!Files.isReadable(kubeconfig)) {
            results.add(failure(
                    "kubeconfig",
                    kubeconfig + (Files.exists(kubeconfig) ? " is not readable" : " does not exist"),
                    "let the kubelet join the cluster, run as root, or name another file in kubernetes.kubeconfig"));
            return results;
        }
        results.add(ok("kubeconfig", kubeconfig + " is readable"));
        try (KubernetesApi api = opening.get()) {
            String version = api.verify();
            results.add(ok("api-server", "the API server runs " + version + " and serves resource.k8s.io/v1"));
            results.addAll(node(api, version));
            if (use.channels()) {
                results.add(domains(api));
            }
            results.addAll(permissions(api));
        } catch (ApiException refused) {
            results.add(refusal("api-server", refused.failure()));
        }
        return results;
    }

    private List<CheckResult> node(KubernetesApi api, String version) {
        String id = "node";
        try {
            Optional<Nodes.NodeObject> node = api.nodes().get(nodeName);
            if (node.isEmpty()) {
                return List.of(failure(
                        id,
                        "node " + nodeName + " does not exist",
                        "let the kubelet register it, or set node.name where the kubelet runs with"
                                + " --hostname-override"));
            }
            return slices(id, api, new Slices.NodeRef(nodeName, node.get().uid()), version);
        } catch (ApiException refused) {
            return List.of(refusal(id, refused.failure()));
        }
    }

    private List<CheckResult> slices(String id, KubernetesApi api, Slices.NodeRef node, String version)
            throws ApiException {
        var results = new ArrayList<CheckResult>();
        if (use.channels()) {
            List<ObservedSlice> slices =
                    api.slices(DriverNames.DRIVER, nodeName).list(node);
            results.add(
                    ok(id, "node " + nodeName + " exists, with " + slices.size() + " ResourceSlices of this driver"));
            results.addAll(SharingCheck.run(use.sharing(), slices, version));
        }
        if (use.rails()) {
            int slices = api.slices(RailDriver.NAME, nodeName).list(node).size();
            results.add(ok(
                    "rdma-" + id,
                    "node " + nodeName + " exists, with " + slices + " ResourceSlices of " + RailDriver.NAME));
        }
        return results;
    }

    private static CheckResult domains(KubernetesApi api) {
        String id = "compute-domains";
        try {
            Optional<?> nobody = api.domains().in("default", NO_DOMAIN);
            return ok(id, "ComputeDomains may be read" + (nobody.isPresent() ? ", one has a UID of zeros" : ""));
        } catch (ApiException refused) {
            return refusal(id, refused.failure());
        }
    }

    private List<CheckResult> permissions(KubernetesApi api) {
        try {
            return new PermissionChecks(api.reviews(), nodeName, use).run();
        } catch (ApiException refused) {
            return List.of(refusal(PermissionChecks.ID, refused.failure()));
        }
    }

    private static CheckResult refusal(String id, ApiFailure failure) {
        return failure(id, failure.message(), remedy(failure.kind()));
    }

    private static String remedy(ApiFailure.Kind kind) {
        return switch (kind) {
            case UNREACHABLE, TIMEOUT -> "look at the API server, the network and the server of the kubeconfig";
            case UNAUTHORIZED -> "look at the kubeconfig: its certificate or token may have expired";
            case FORBIDDEN -> "grant the rule that the message names; imex-agent manifests prints the ClusterRole";
            case NO_RELATIONSHIP -> "use the identity of this node's own kubelet";
            case NOT_FOUND -> "install the ComputeDomain resource (CRD) in the cluster";
            case UNSUPPORTED -> "upgrade the cluster to Kubernetes 1.34 or later";
            case CONFLICT, GONE, THROTTLED, SERVER_ERROR -> "try again; if it stays, look at the API server";
            case INVALID, UNREADABLE -> "check that the server of the kubeconfig is a Kubernetes API server";
        };
    }

    /**
     * What an agent does at the API server under its configuration.
     *
     * @param channels whether it serves IMEX channels
     * @param holding whether each workload has a channel of its own
     * @param rails whether it serves RDMA NICs
     * @param labelling whether it keeps a label of the Node
     * @param telling whether it makes Events of the Node
     * @param reviewing whether it asks who may see documents over HTTP from elsewhere
     * @param sharing which claims may hold one channel together
     */
    record Use(
            boolean channels,
            boolean holding,
            boolean rails,
            boolean labelling,
            boolean telling,
            boolean reviewing,
            Sharing sharing) {

        static Use of(AgentConfig config) {
            boolean channels = config.hostManaged();
            return new Use(
                    channels,
                    channels && config.imex().isolation().equals(Optional.of(Isolation.IMEX_CHANNEL)),
                    config.rdma().enabled(),
                    channels && config.publication().cliqueLabel(),
                    channels
                            && config.imex().health().watch()
                            && config.imex().health().nodeEvents(),
                    reviewing(config.http().endpoint()),
                    config.imex().sharingInForce());
        }

        /** Over plain HTTP nobody from elsewhere is shown one. */
        private static boolean reviewing(Endpoint http) {
            boolean thisHostOnly = http.address().equals("localhost") || Loopback.is(http.address());
            return http.tls().isPresent() && !thisHostOnly;
        }
    }
}
