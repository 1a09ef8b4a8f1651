package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.Claims.ClaimObject;
import io.imexagent.kubernetes.Claims.ClaimStatusText;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.DeviceReports;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.GroupPods;
import io.imexagent.kubernetes.GroupPods.GroupPod;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.kubernetes.Nodes.NodeObject;
import io.imexagent.kubernetes.Pods;
import io.imexagent.kubernetes.Pods.PodObject;
import io.imexagent.kubernetes.Slices;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.JsonScanner;
import io.imexagent.kubernetes.json.UnreadableException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.DoubleSupplier;

/**
 * The Kubernetes API over the JDK's HTTP client. The constructor reads no file; the first call does. All threads are
 * virtual or daemons.
 */
public final class HttpKubernetesApi extends HttpApi implements KubernetesApi {

    /** The phases of a pod whose containers have all ended. */
    private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

    private static final String ANNOTATIONS = "metadata.annotations";
    private static final String DOMAIN = ANNOTATIONS + "." + DriverNames.DOMAIN_ANNOTATION;

    private static final FieldSelection CLAIM = FieldSelection.ofObject("status!")
            .longest(Claims.LARGEST_STATUS, "status")
            .note(ANNOTATIONS, DriverNames.DOMAIN_ANNOTATION);

    /** In bytes, room for the labels of a Node, which are the cluster's own and may be hundreds. */
    private static final int LARGEST_NODE = 1 << 20;

    static final Decoder<NodeObject> NODE = new Decoder<>(
            FieldSelection.ofObject(
                            "metadata.labels.*",
                            "status.addresses[].address",
                            "status.nodeInfo.kubeletVersion,containerRuntimeVersion",
                            "status.runtimeHandlers[].features.userNamespaces")
                    .room(LARGEST_NODE),
            node -> new NodeObject(
                    node.required("metadata.name"),
                    node.required("metadata.uid"),
                    node.map("metadata.labels"),
                    node.each("status.addresses").stream()
                            .map(address -> address.text("address"))
                            .toList(),
                    new Nodes.NodeSoftware(
                            node.text("status.nodeInfo.kubeletVersion"),
                            node.text("status.nodeInfo.containerRuntimeVersion"),
                            node.each("status.runtimeHandlers").stream()
                                    .anyMatch(handler -> handler.isTrue("features.userNamespaces")))));

    private static final String GROUP = "spec.schedulingGroup.podGroupName";

    private static final FieldSelection POD_FIELDS = FieldSelection.ofObject(
            "spec.hostNetwork",
            "spec.hostUsers",
            GROUP,
            "spec.resourceClaims[].name,resourceClaimName",
            "spec.containers[].resources.claims[].name",
            "spec.initContainers[].resources.claims[].name",
            "status.phase",
            "status.resourceClaimStatuses[].name,resourceClaimName");

    static final Decoder<PodObject> POD = new Decoder<>(POD_FIELDS, HttpKubernetesApi::pod);

    private static final Decoder<Grouped> GROUPED = new Decoder<>(
            POD_FIELDS,
            pod -> new Grouped(
                    pod.text(GROUP),
                    ENDED.contains(pod.text("status.phase")),
                    new GroupPod(pod.required("metadata.name"), pod(pod))));

    private record Grouped(String group, boolean ended, GroupPod pod) {

        boolean uses(String groupName, String claim) {
            return !ended && group.equals(groupName) && pod.pod().users().containsKey(claim);
        }
    }

    /** The most connections of prepare at a time; a connection with TLS costs about 100 kB. */
    private static final int PREPARE_AT_ONCE = 8;

    /**
     * The most reads of pods at a time. They have their own limit: prepare continues without them, so reads that hang
     * must not use up its connections.
     */
    private static final int PODS_AT_ONCE = 4;

    private static final int BACKGROUND_AT_ONCE = 4;
    private static final double BACKGROUND_PER_SECOND = 5;
    private static final int BACKGROUND_BURST = 10;

    private static final String NEEDED = ": imex-agent needs Kubernetes 1.34 or later";

    private static final Decoder<String> VERSION =
            new Decoder<>(FieldSelection.of("gitVersion"), answer -> answer.required("gitVersion"));

    private static final Decoder<List<String>> SERVED = new Decoder<>(
            FieldSelection.of("versions[].version"),
            answer -> answer.each("versions", version -> version.text("version")));

    private final ComputeDomains domains;
    private final Resource<PodObject> pods;

    /**
     * Creates a client with the name {@code userAgent} in the audit log, such as {@code imex-agent/0.2.0}; {@code
     * random} returns numbers in 0 … 1, which spread its pauses.
     */
    public HttpKubernetesApi(
            ClusterAccess access, String userAgent, InstantSource clock, DoubleSupplier random, ApiObserver observer) {
        RateLimiter background = RateLimiter.paced(BACKGROUND_AT_ONCE, BACKGROUND_PER_SECOND, BACKGROUND_BURST);
        super(
                new Transport(Caller.AGENT, access, userAgent, clock, observer),
                random,
                RateLimiter.unpaced(PREPARE_AT_ONCE),
                background,
                background,
                Caller.AGENT.text(),
                Optional.empty());
        this.domains = new HttpComputeDomains(transport, calls);
        this.pods = new Resource<>(transport, RateLimiter.unpaced(PODS_AT_ONCE), Resource.CORE, "Pod", POD);
    }

    @Override
    public Claims claims() {
        return claims(calls);
    }

    @Override
    public Claims backgroundClaims() {
        return claims(lists);
    }

    private Claims claims(RateLimiter limiter) {
        return name -> new Resource<>(transport, limiter, Resource.DRA, "ResourceClaim", claim(name))
                .get(name.namespace(), name.name());
    }

    /** Creates the writer of device reports, with this client's identity and the rate limit of background work. */
    public DeviceReports deviceReports() {
        return new HttpDeviceReports(transport, lists, this::verify);
    }

    @Override
    public ComputeDomains domains() {
        return domains;
    }

    @Override
    public Slices slices(String driver, String nodeName) {
        return new HttpSlices(transport, reflectors, lists, driver, nodeName);
    }

    @Override
    public Pods pods() {
        return pods::get;
    }

    @Override
    public GroupPods groupPods(String nodeName) {
        return (namespace, group, claim) -> Collection.in(
                        namespace,
                        pods.reading(GROUPED),
                        "Pods of namespace " + namespace + " on node " + nodeName,
                        "spec.nodeName=" + nodeName)
                .all()
                .stream()
                .filter(pod -> pod.uses(group, claim))
                .map(Grouped::pod)
                .toList();
    }

    @Override
    public Nodes nodes() {
        var nodes = new Resource<>(transport, lists, Resource.CORE, "Node", NODE);
        return new Nodes() {
            @Override
            public Optional<NodeObject> get(String name) throws ApiException {
                return nodes.get("", name);
            }

            @Override
            public void label(String name, String key, Optional<String> value) throws ApiException {
                ObjectNode patch = JsonTrees.object();
                patch.putObject("metadata").putObject("labels").put(key, value.orElse(null));
                nodes.reading(Decoder.ANY).patch("", name, "", patch);
            }
        };
    }

    @Override
    public String verify() throws ApiException {
        String version = get("/version", "version", "the server's version", VERSION);
        List<String> served;
        try {
            served = get("/apis/" + Resource.DRA.name(), "apis", "API group " + Resource.DRA.name(), SERVED);
        } catch (ApiException e) {
            if (e.failure().kind() != ApiFailure.FailureKind.NOT_FOUND) {
                throw e;
            }
            throw unsupported("does not serve", NEEDED + ", with the feature DynamicResourceAllocation on", version);
        }
        if (!served.contains(Resource.DRA.version())) {
            throw unsupported("serves", " " + String.join(", ", served) + " but not v1" + NEEDED, version);
        }
        return version;
    }

    private <T> T get(String path, String label, String what, Decoder<T> decoder) throws ApiException {
        return transport.call(Call.of(Call.Verb.GET, new Call.Target("", label, what, ""), path), lists, decoder);
    }

    private ApiException unsupported(String serves, String what, String version) {
        var failure = new ApiFailure(
                ApiFailure.FailureKind.UNSUPPORTED,
                "this cluster " + serves + " " + Resource.DRA.name() + what + " (server: " + version + ")",
                Optional.empty());
        transport.failed(failure);
        return new ApiException(failure);
    }

    /**
     * Reads the claim of this name. Its status is kept as the server wrote it, including the form of numbers and the
     * order of keys.
     */
    static Decoder<ClaimObject> claim(ClaimName name) {
        return new Decoder<>(
                CLAIM,
                claim -> new ClaimObject(
                        name,
                        claim.required("metadata.uid"),
                        claim.deleting(),
                        claim.given(DOMAIN)
                                .map(domain -> Map.of(DriverNames.DOMAIN_ANNOTATION, domain))
                                .orElse(Map.of()),
                        claim.raw("status")
                                .map(HttpKubernetesApi::status)
                                .orElseGet(() -> new ClaimStatusText.WholeStatus("{}"))));
    }

    private static ClaimStatusText status(JsonScanner.Raw raw) {
        return raw.text()
                .<ClaimStatusText>map(ClaimStatusText.WholeStatus::new)
                .orElseGet(() -> new ClaimStatusText.StatusTooLarge(raw.bytes()));
    }

    /**
     * Reads a pod. Containers refer to claims by names within the pod; its status has the names of claims made from
     * templates.
     */
    private static PodObject pod(FieldValues pod) throws UnreadableException {
        var objects = new HashMap<String, String>();
        for (String claims : List.of("spec.resourceClaims", "status.resourceClaimStatuses")) {
            pod.each(claims).forEach(claim -> objects.put(claim.text("name"), claim.text("resourceClaimName")));
        }
        var users = new HashMap<String, Integer>();
        for (String kind : List.of("spec.containers", "spec.initContainers")) {
            pod.each(kind).stream()
                    .flatMap(container -> container.each("resources.claims").stream())
                    .forEach(use -> users.merge(objects.getOrDefault(use.text("name"), ""), 1, Integer::sum));
        }
        boolean ownUsers = pod.isFlag("spec.hostUsers") && !pod.isTrue("spec.hostUsers");
        return new PodObject(pod.required("metadata.uid"), pod.isTrue("spec.hostNetwork"), !ownUsers, users);
    }

    private static final class HttpComputeDomains implements ComputeDomains {

        /**
         * A tenant can fill its namespace and request a ComputeDomain that does not exist. This limit for each
         * namespace makes only that tenant wait.
         */
        private static final double LISTS_PER_SECOND = 1;

        private static final int LISTS_AT_ONCE = 1;
        private static final int LISTS_AT_FIRST = 5;

        /** The most namespaces that are remembered, more than a node has pods. */
        private static final int NAMESPACES = 1_024;

        private static final Decoder<DomainRef> DOMAIN = new Decoder<>(
                FieldSelection.of("metadata.deletionTimestamp").identified(),
                domain -> new DomainRef(
                        new ComputeDomainUid(domain.ref().uid()),
                        domain.ref().namespace(),
                        domain.ref().name(),
                        domain.deleting()));

        private final Resource<DomainRef> domains;

        /** The lists by namespace; guarded by itself. */
        private final SequencedMap<String, SharedLists<DomainRef>> lists = new LinkedHashMap<>(16, 0.75f, true);

        HttpComputeDomains(Transport transport, RateLimiter calls) {
            this.domains = new Resource<>(transport, calls, Resource.COMPUTE_DOMAINS, "ComputeDomain", DOMAIN);
        }

        @Override
        public Optional<DomainRef> named(String namespace, String name) throws ApiException {
            return domains.get(namespace, name);
        }

        @Override
        public Optional<DomainRef> in(String namespace, ComputeDomainUid uid) throws ApiException {
            SharedLists<DomainRef> ofNamespace;
            synchronized (lists) {
                ofNamespace = lists.computeIfAbsent(
                        namespace,
                        none -> new SharedLists<>(Collection.in(
                                namespace,
                                domains.under(RateLimiter.paced(LISTS_AT_ONCE, LISTS_PER_SECOND, LISTS_AT_FIRST)))));
                if (lists.size() > NAMESPACES) {
                    lists.pollFirstEntry();
                }
            }
            return ofNamespace.find(uid.value());
        }
    }
}
