package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.kubernetes.Permissions;
import io.imexagent.kubernetes.Pods;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.Slices;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.clique.FabricObjects;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The Kubernetes API over the HTTP client of the JDK.
 *
 * <p>Making one reads no file and opens no connection; the first call does. All threads are virtual, or the daemon
 * threads of the HTTP client.
 */
public final class HttpKubernetesApi implements KubernetesApi {

    /** How many connections prepare may use at once; a connection with TLS costs about 100 kB. */
    private static final int PREPARE_AT_ONCE = 8;

    private static final int BACKGROUND_AT_ONCE = 4;
    private static final double BACKGROUND_PER_SECOND = 5;
    private static final int BACKGROUND_BURST = 10;

    private final Transport transport;
    private final RateLimiter prepare = RateLimiter.unpaced(PREPARE_AT_ONCE);
    private final HttpReviews reviews;
    private final RateLimiter background =
            RateLimiter.paced(BACKGROUND_AT_ONCE, BACKGROUND_PER_SECOND, BACKGROUND_BURST);
    private @Nullable ComputeDomains domains;

    /**
     * A client.
     *
     * @param access how the server is reached
     * @param userAgent what the client calls itself in the server's audit log, such as {@code imex-agent/0.1.0}
     * @param clock the time, for the age of tokens and the state
     * @param random random numbers in 0 … 1, to spread repeated tries
     * @param observer hears of every call
     */
    public HttpKubernetesApi(
            ClusterAccess access, String userAgent, InstantSource clock, DoubleSupplier random, ApiObserver observer) {
        this.transport = new Transport(access, userAgent, clock, random, observer);
        this.reviews = new HttpReviews(transport);
    }

    @Override
    public Claims claims() {
        return claims(prepare);
    }

    @Override
    public Claims backgroundClaims() {
        return claims(background);
    }

    private Claims claims(RateLimiter limiter) {
        var claims = new Resource(transport, limiter, "ResourceClaim", Resource.DRA, "resourceclaims");
        return name -> claims.get(name.namespace(), name.name(), NodeJson.claim(name));
    }

    @Override
    public synchronized ComputeDomains domains() {
        ComputeDomains known = domains;
        if (known == null) {
            known = new HttpComputeDomains(transport, prepare);
            domains = known;
        }
        return known;
    }

    @Override
    public FabricObjects fabric() {
        return new HttpFabric(transport, prepare, background);
    }

    @Override
    public Slices slices(String driver, String nodeName) {
        return new HttpSlices(transport, background, driver, nodeName);
    }

    @Override
    public Pods pods() {
        var pods = new Resource(transport, prepare, "Pod", Resource.CORE, "pods");
        return (namespace, name) -> pods.get(namespace, name, NodeJson.POD);
    }

    @Override
    public Nodes nodes() {
        var nodes = new Resource(transport, background, "Node", Resource.CORE, "nodes");
        return new Nodes() {
            @Override
            public Optional<NodeObject> get(String name) throws ApiException {
                return nodes.get("", name, NodeJson.NODE);
            }

            @Override
            public void label(String name, String key, Optional<String> value) throws ApiException {
                nodes.patch("", name, "", NodeJson.label(key, value), Decoder.ANY);
            }
        };
    }

    @Override
    public Permissions permissions() {
        return rule -> {
            String what = "SelfSubjectAccessReview of \"" + rule.text() + "\"";
            return new Resource(transport, background, what, Resource.AUTHORIZATION, "selfsubjectaccessreviews")
                    .create("", "", NodeJson.review(rule), NodeJson.VERDICT);
        };
    }

    @Override
    public Reviews reviews() {
        return reviews;
    }

    @Override
    public Events events() {
        return event -> new Resource(transport, background, "an Event of Node " + event.node(), Resource.CORE, "events")
                .create(Events.NAMESPACE, "", EventJson.of(event), Decoder.ANY);
    }

    @Override
    public String verify() throws ApiException {
        try {
            return new Discovery(transport, background).verify();
        } catch (ApiException e) {
            if (e.failure().kind() == ApiFailure.Kind.UNSUPPORTED) {
                transport.failed(e.failure());
            }
            throw e;
        }
    }

    @Override
    public Map<String, UnreadObjects> unread() {
        return transport.unread();
    }

    @Override
    public State state() {
        return transport.state();
    }

    @Override
    public void close() {
        transport.close();
    }
}
