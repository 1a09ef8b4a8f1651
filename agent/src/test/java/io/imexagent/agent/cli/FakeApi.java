package io.imexagent.agent.cli;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.GroupPods;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.kubernetes.Pods;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.Slices;
import io.imexagent.kubernetes.clique.FabricObjects;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** An API server for checks: what it may refuse is named; whoever writes fails. */
final class FakeApi implements KubernetesApi {

    private final Map<String, ApiFailure> refusals = new HashMap<>();
    private final Map<String, Reviews.ReviewResult> verdicts = new HashMap<>();
    private final List<Reviews.AccessRule> asked = new ArrayList<>();
    private boolean nodeRegistered = true;
    private String version = "v1.36.0";
    private List<ObservedSlice> slices = List.of();
    private Nodes.NodeSoftware software = new Nodes.NodeSoftware("v1.36.2", "containerd://2.1.4", true);
    private boolean closed;

    /** Refuses {@code verify}, {@code node}, {@code slices}, {@code domains} or {@code permissions}. */
    FakeApi refusing(String what, ApiFailure.FailureKind kind) {
        refusals.put(what, new ApiFailure(kind, what + " refused as the test wants", Optional.empty()));
        return this;
    }

    /** Answers so when it is asked for the permission with this text; all others are granted. */
    FakeApi saying(String rule, Reviews.ReviewResult verdict) {
        verdicts.put(rule, verdict);
        return this;
    }

    /** The permissions that were asked for. */
    List<Reviews.AccessRule> asked() {
        return List.copyOf(asked);
    }

    FakeApi withoutNode() {
        nodeRegistered = false;
        return this;
    }

    FakeApi running(String otherVersion) {
        version = otherVersion;
        return this;
    }

    FakeApi with(String kubelet, String runtime) {
        software = new Nodes.NodeSoftware(kubelet, runtime, true);
        return this;
    }

    FakeApi publishing(Device device) {
        slices = List.of(new ObservedSlice("s", "1", true, new PoolSlice("node-1", 1, 1, List.of(device))));
        return this;
    }

    boolean closed() {
        return closed;
    }

    @Override
    public String verify() throws ApiException {
        answer("verify");
        return version;
    }

    @Override
    public Events events() {
        throw new AssertionError("checks make no Event");
    }

    @Override
    public Pods pods() {
        throw new AssertionError("checks read no pods");
    }

    @Override
    public GroupPods groupPods(String nodeName) {
        throw new AssertionError("checks read no pods");
    }

    @Override
    public Nodes nodes() {
        return new Nodes() {
            @Override
            public Optional<NodeObject> get(String name) throws ApiException {
                answer("node");
                return nodeRegistered
                        ? Optional.of(new NodeObject(name, "uid-1", Map.of(), List.of(), software))
                        : Optional.empty();
            }

            @Override
            public void label(String name, String key, Optional<String> value) {
                throw new AssertionError("a check writes nothing");
            }
        };
    }

    @Override
    public FabricObjects fabric() {
        throw new AssertionError("no check asks for the fabric");
    }

    @Override
    public ComputeDomains domains() {
        return new ComputeDomains() {
            @Override
            public Optional<DomainRef> named(String namespace, String name) throws ApiException {
                answer("domains");
                return Optional.empty();
            }

            @Override
            public Optional<DomainRef> in(String namespace, ComputeDomainUid uid) throws ApiException {
                return named(namespace, "");
            }
        };
    }

    @Override
    public Slices slices(String driver, String nodeName) {
        return new Slices() {
            @Override
            public List<ObservedSlice> list(NodeRef owner) throws ApiException {
                answer("slices");
                return slices;
            }

            @Override
            public ObservedSlice create(NodeRef owner, int index, PoolSlice content) {
                throw new AssertionError("a check writes nothing");
            }

            @Override
            public ObservedSlice replace(NodeRef owner, ObservedSlice observed, PoolSlice content) {
                throw new AssertionError("a check writes nothing");
            }

            @Override
            public void delete(ObservedSlice observed) {
                throw new AssertionError("a check writes nothing");
            }

            @Override
            public SliceWatch watch(NodeRef owner, Consumer<List<ObservedSlice>> listener) {
                throw new AssertionError("a check watches nothing");
            }
        };
    }

    @Override
    public Reviews reviews() {
        return new Reviews() {
            @Override
            public ReviewResult may(AccessRule rule) throws ApiException {
                answer("permissions");
                asked.add(rule);
                ReviewResult verdict = verdicts.get(rule.text());
                return verdict == null ? new ReviewResult.Allowed() : verdict;
            }

            @Override
            public Optional<User> owner(String token) {
                throw new AssertionError("a check reviews nobody");
            }

            @Override
            public boolean mayGet(User user, String path) {
                throw new AssertionError("a check reviews nobody");
            }
        };
    }

    @Override
    public Claims claims() {
        throw new AssertionError("a check reads no claims");
    }

    @Override
    public ApiState state() {
        return new ApiState.ApiUntried();
    }

    @Override
    public void close() {
        closed = true;
    }

    private void answer(String what) throws ApiException {
        ApiFailure refusal = refusals.get(what);
        if (refusal != null) {
            throw new ApiException(refusal);
        }
    }
}
