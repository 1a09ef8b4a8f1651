package io.imexagent.agent.cli;

import static io.imexagent.core.check.CheckResult.critical;
import static io.imexagent.core.check.CheckResult.ok;
import static io.imexagent.core.check.CheckResult.warning;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.imex.check.SharingCheck;
import io.imexagent.imex.health.ImexWatchSettings;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.kubernetes.Reviews.AccessRule;
import io.imexagent.kubernetes.Reviews.ReviewResult;
import io.imexagent.kubernetes.Slices;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.rdma.rails.RailDriver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks the API server and the permissions of this node's identity. Writes nothing. */
record ApiChecks(AgentConfig config, ClusterAccess access, KubernetesApi api) {

    /** A UID that no ComputeDomain has: the response "not found" proves the permission to read ComputeDomains. */
    private static final ComputeDomainUid NO_DOMAIN = new ComputeDomainUid("00000000-0000-0000-0000-000000000000");

    private static final String NODE = "node";
    private static final String PERMISSIONS = "permissions";
    private static final String DRA = "resource.k8s.io";

    /** A name of no object: the Node authorizer then reports an object unrelated to the node, not a missing rule. */
    private static final String NO_OBJECT = "imex-agent-check";

    /** Optional permissions, the effect of their lack, and the remedy. The Node authorizer grants them to kubelets. */
    private record Spare(List<AccessRule> rules, String consequence, String remedy) {}

    private static final Spare EVENTS = new Spare(
            List.of(AccessRule.on("create", "", "events").in(Events.NAMESPACE)),
            "changes of nvidia-imex are not recorded as Events of the Node",
            "grant the user of kubernetes.kubeconfig \"create\" on \"events\" (apiGroups: [\"\"]) by a Role in"
                    + " namespace "
                    + Events.NAMESPACE + ", which a kubelet's own identity has without one; or set"
                    + " imex.health.nodeEvents to false");

    /** The Node authorizer grants this permission for the node's own pods. */
    private static final Spare PODS = new Spare(
            List.of(AccessRule.on("get", "", "pods").named(NO_OBJECT)),
            "claims for RDMA NICs in mode Netdev are refused",
            "use the identity of this node's own kubelet, or grant the user of kubernetes.kubeconfig \"get\" on"
                    + " \"pods\" (apiGroups: [\"\"])");

    private static final Spare REVIEWS = new Spare(
            List.of(
                    AccessRule.on("create", "authentication.k8s.io", "tokenreviews"),
                    AccessRule.on("create", "authorization.k8s.io", "subjectaccessreviews")),
            "/inventory is shown on this host only",
            "bind the ClusterRole system:auth-delegator to the user of kubernetes.kubeconfig, or use the identity of"
                    + " this node's own kubelet, which needs no binding");

    List<CheckResult> run() {
        String id = "kubeconfig";
        Optional<Path> kubeconfig = access.kubeconfig();
        if (kubeconfig.filter(Files::isReadable).isEmpty()) {
            return List.of(critical(
                    id,
                    kubeconfig
                            .map(file -> file + (Files.notExists(file) ? " does not exist" : " is not readable"))
                            .orElseGet(access::noneExists),
                    "let the kubelet join the cluster, run as root, or name another file in kubernetes.kubeconfig"));
        }
        var results = new ArrayList<>(List.of(ok(id, kubeconfig.get() + " is readable")));
        try {
            String version = api.verify();
            results.add(ok("api-server", "the API server runs " + version + " and serves resource.k8s.io/v1"));
            results.addAll(node(version));
            if (config.hostManaged()) {
                results.add(domains());
            }
            results.addAll(permissions());
        } catch (ApiException refused) {
            boolean other = refused.failure().kind() == ApiFailure.FailureKind.OTHER_NODE;
            results.add(refusal(other ? NODE : "api-server", refused.failure()));
        }
        return results;
    }

    /** Checks the Node. Throws if the identity is another node's, since every further check would fail too. */
    private List<CheckResult> node(String version) throws ApiException {
        try {
            Optional<Nodes.NodeObject> node = api.nodes().get(nodeName());
            if (node.isEmpty()) {
                return List.of(critical(
                        NODE,
                        "node " + nodeName() + " does not exist",
                        "let the kubelet register it, or set node.name where the kubelet runs with"
                                + " --hostname-override"));
            }
            var results = new ArrayList<>(
                    slices(new Slices.NodeRef(nodeName(), node.get().uid()), version));
            results.addAll(SoftwareChecks.of(node.get().software()));
            if (config.placementOfCliques() != PlacementMode.OFF) {
                results.add(label(node.get().labels()));
            }
            return results;
        } catch (ApiException refused) {
            if (refused.failure().kind() == ApiFailure.FailureKind.OTHER_NODE) {
                throw refused;
            }
            return List.of(refusal(NODE, refused.failure()));
        }
    }

    /** Checks the label that places pods; the agent sets it once it serves. */
    private static CheckResult label(Map<String, String> labels) {
        String id = "clique-label";
        String clique = labels.getOrDefault(DriverNames.CLIQUE_LABEL, "");
        return clique.isEmpty()
                ? warning(
                        id,
                        "the Node has no label " + DriverNames.CLIQUE_LABEL
                                + ", so pods that placement.clique keeps in one clique are not placed here",
                        "set publication.cliqueLabel; the running agent sets the label while the node has a clique")
                : ok(id, "the Node has the label " + DriverNames.CLIQUE_LABEL + "=" + clique);
    }

    private List<CheckResult> slices(Slices.NodeRef node, String version) throws ApiException {
        var results = new ArrayList<CheckResult>();
        if (config.hostManaged()) {
            List<ObservedSlice> slices =
                    api.slices(DriverNames.DRIVER, nodeName()).list(node);
            results.add(ok(
                    NODE, "node " + nodeName() + " exists, with " + slices.size() + " ResourceSlices of this driver"));
            results.addAll(SharingCheck.run(config.imex().sharingInForce(), slices, version));
        }
        if (config.rdma().enabled()) {
            int slices = api.slices(RailDriver.NAME, nodeName()).list(node).size();
            results.add(ok(
                    "rdma-" + NODE,
                    "node " + nodeName() + " exists, with " + slices + " ResourceSlices of " + RailDriver.NAME));
        }
        return results;
    }

    private CheckResult domains() {
        String id = "compute-domains";
        try {
            Optional<?> none = api.domains().in("default", NO_DOMAIN);
            return ok(id, "ComputeDomains may be read" + (none.isPresent() ? ", one has a UID of zeros" : ""));
        } catch (ApiException refused) {
            return refusal(id, refused.failure());
        }
    }

    /** Returns one result for each missing rule, or a single one if all are granted. */
    private List<CheckResult> permissions() {
        List<AccessRule> rules = rules();
        var missing = new ArrayList<CheckResult>();
        try {
            for (AccessRule rule : rules) {
                if (api.reviews().may(rule) instanceof ReviewResult.Denied denied) {
                    missing.add(missing(rule, denied));
                }
            }
        } catch (ApiException refused) {
            return List.of(refusal(PERMISSIONS, refused.failure()));
        }
        return missing.isEmpty()
                ? List.of(ok(PERMISSIONS, "all " + rules.size() + " rules that serving uses are granted"))
                : List.copyOf(missing);
    }

    private static CheckResult missing(AccessRule rule, ReviewResult.Denied denied) {
        String message = "this identity may not " + rule.text()
                + (denied.reason().isBlank() ? "" : " (" + denied.reason() + ")");
        return Stream.of(EVENTS, PODS, REVIEWS)
                .filter(spare -> spare.rules().contains(rule))
                .findFirst()
                .map(spare -> warning(PERMISSIONS, message + ": " + spare.consequence(), spare.remedy()))
                .orElseGet(() -> critical(
                        PERMISSIONS,
                        message,
                        "grant that rule: bind the ClusterRole imex-agent to the group system:nodes, or to the user of"
                                + " kubernetes.kubeconfig"));
    }

    private List<AccessRule> rules() {
        var rules = new ArrayList<>(List.of(
                AccessRule.on("list", DRA, "resourceslices").ofNode(nodeName()),
                AccessRule.on("watch", DRA, "resourceslices").ofNode(nodeName()),
                AccessRule.on("create", DRA, "resourceslices"),
                AccessRule.on("update", DRA, "resourceslices").named(NO_OBJECT),
                AccessRule.on("delete", DRA, "resourceslices").named(NO_OBJECT),
                AccessRule.on("get", DRA, "resourceclaims").named(NO_OBJECT)));
        if (config.hostManaged()) {
            rules.add(AccessRule.on("get", "resource.nvidia.com", "computedomains")
                    .named(NO_OBJECT));
            rules.add(AccessRule.on("list", "resource.nvidia.com", "computedomains"));
        }
        rules.add(AccessRule.on("get", "", "nodes").named(nodeName()));
        if (config.bindsChannels()) {
            for (String verb : List.of("list", "watch", "create")) {
                rules.add(AccessRule.on(verb, FabricObjects.GROUP, "nvlinknodes"));
            }
            for (String verb : List.of("get", "update")) {
                rules.add(
                        AccessRule.on(verb, FabricObjects.GROUP, "nvlinknodes").named(nodeName()));
                rules.add(AccessRule.on(verb, FabricObjects.GROUP, "nvlinkcliques")
                        .named(NO_OBJECT));
            }
        }
        if (config.rdma().enabled()) {
            rules.addAll(PODS.rules());
        }
        if (config.hostManaged() && config.publication().cliqueLabel()) {
            rules.add(AccessRule.on("patch", "", "nodes").named(nodeName()));
        }
        ImexWatchSettings health = config.imex().health();
        if (config.hostManaged() && health.watch() && health.nodeEvents()) {
            rules.addAll(EVENTS.rules());
        }
        if (config.http().isForOthers()) {
            rules.addAll(REVIEWS.rules());
        }
        return rules;
    }

    private String nodeName() {
        return config.nodeName();
    }

    private static CheckResult refusal(String id, ApiFailure failure) {
        String remedy = switch (failure.kind()) {
            case UNREACHABLE, TIMEOUT -> "look at the API server, the network and the server of the kubeconfig";
            case NO_KUBECONFIG -> "fix what the message names";
            case UNAUTHORIZED -> "look at the kubeconfig: its certificate or token may have expired";
            case FORBIDDEN -> "grant the rule that the message names; imex-agent manifests prints the ClusterRole";
            case ADMISSION, QUOTA, NAMESPACE_ENDING -> "do as the message says; no rule is missing";
            case OTHER_NODE -> "set node.name or kubernetes.kubeconfig as the message says";
            case NO_RELATIONSHIP -> "use the identity of this node's own kubelet";
            case NOT_FOUND -> "install the ComputeDomain resource (CRD) in the cluster";
            case UNSUPPORTED -> "upgrade the cluster to Kubernetes 1.34 or later";
            case CONFLICT, GONE, THROTTLED, SERVER_ERROR -> "try again; if it lasts, look at the API server";
            case INVALID, UNREADABLE -> "check that the server of the kubeconfig is a Kubernetes API server";
        };
        return critical(id, failure.message(), remedy);
    }
}
