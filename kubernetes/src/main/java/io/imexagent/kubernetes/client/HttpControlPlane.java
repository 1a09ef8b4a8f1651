package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import io.imexagent.kubernetes.clique.StoredObjects;
import io.imexagent.kubernetes.control.ControlPlane;
import io.imexagent.kubernetes.control.ControlPlane.LeaseContent;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.EventDraft;
import io.imexagent.kubernetes.control.TemplateDraft;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.WatchNews;
import io.imexagent.kubernetes.json.JsonTrees;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/** The controller's side of the API, over the same transport as the agent's. */
public final class HttpControlPlane implements ControlPlane {

    private static final String WORKLOADS = DriverNames.TARGET + "=" + DriverNames.WORKLOAD;

    /** The holder has 7 s to renew its Lease: after a call that hangs there must be time for another one. */
    private static final Duration ELECTION_CALL = Duration.ofSeconds(3);

    /** Connections at a time; the lease has one of its own, so that a burst of work never costs the leadership. */
    private static final int AT_ONCE = 8;

    private final Transport transport;
    private final InstantSource clock;
    private final String namespace;
    private final String instance;
    private final RateLimiter work;
    private final RateLimiter watches = RateLimiter.paced(AT_ONCE, 20, 40);
    private final Resource<DomainObject> domains;
    private final Resource<TemplateObject> templates;
    private final Resource<Stored<LeaseContent>> leases;
    private final Resource<Boolean> events;
    private final HttpFabric fabric;
    private final Reviews reviews;

    /**
     * A client.
     *
     * @param access how the server is reached
     * @param userAgent what the client calls itself in the server's audit log
     * @param identity what this controller is called, in Events
     * @param namespace the controller's own namespace
     * @param callsPerSecond how many calls a second reconciliation makes at most, bursts of as many apart
     * @param random random numbers in 0 … 1, to spread repeated tries
     */
    public HttpControlPlane(
            ClusterAccess access,
            String userAgent,
            String identity,
            String namespace,
            int callsPerSecond,
            InstantSource clock,
            DoubleSupplier random,
            ApiObserver observer) {
        this.transport = new Transport(access, userAgent, clock, random, observer);
        this.clock = clock;
        this.namespace = namespace;
        this.instance = identity;
        this.work = RateLimiter.paced(AT_ONCE, callsPerSecond, callsPerSecond);
        this.domains = resource(Resource.COMPUTE_DOMAINS, "ComputeDomain", ControlJson.DOMAIN);
        this.templates = resource(Resource.DRA, "ResourceClaimTemplate", ControlJson.TEMPLATE);
        this.leases = resource(Resource.COORDINATION, "Lease", ControlJson.LEASE)
                .under(RateLimiter.unpaced(2))
                .within(ELECTION_CALL);
        this.events = resource(Resource.CORE, "Event", Decoder.ANY);
        this.fabric = new HttpFabric(transport, work, watches);
        this.reviews = new HttpReviews(transport);
    }

    private <T> Resource<T> resource(Resource.Group group, String kind, Decoder<T> decoder) {
        return new Resource<>(transport, work, group, kind, decoder);
    }

    @Override
    public void watch(
            Consumer<WatchNews<DomainObject>> ofDomains,
            Consumer<WatchNews<TemplateObject>> ofTemplates,
            Consumer<WatchNews<Stored<NvlinkNode>>> ofNodes,
            Consumer<WatchNews<Stored<NvlinkClique>>> ofCliques) {
        transport.reflector(domains.under(watches).everywhere()).start(ofDomains);
        transport
                .reflector(templates.under(watches).labelled("ResourceClaimTemplates of workloads", WORKLOADS))
                .start(ofTemplates);
        fabric.watch(ofNodes, ofCliques);
    }

    @Override
    public Optional<ApiFailure> watchFailure() {
        return transport.watchFailure();
    }

    @Override
    public Optional<DomainObject> setFinalizers(DomainObject observed, List<String> finalizers) throws ApiException {
        ObjectNode patch = JsonTrees.object();
        Resource.finalizers(patch.putObject("metadata"), finalizers);
        DomainObject now = domains.patch(observed.ref(), "", patch);
        return now.deleting() && now.finalizers().isEmpty() ? Optional.empty() : Optional.of(now);
    }

    @Override
    public DomainObject setStatus(DomainObject observed, boolean ready) throws ApiException {
        ObjectNode patch = JsonTrees.object();
        patch.putObject("status").put("status", ready ? "Ready" : "NotReady");
        return domains.patch(observed.ref(), "/status", patch);
    }

    @Override
    public Optional<DomainObject> find(ComputeDomainUid uid, String where) throws ApiException {
        return domains.in(where).find(uid.value());
    }

    @Override
    public Optional<TemplateObject> template(String where, String name) throws ApiException {
        return templates.get(where, name);
    }

    @Override
    public TemplateObject create(TemplateDraft draft) throws ApiException {
        return templates.create(draft.namespace(), draft.name(), ControlJson.template(draft));
    }

    @Override
    public Optional<TemplateObject> mend(TemplateObject observed, Map<String, String> labels, List<String> finalizers)
            throws ApiException {
        ObjectNode patch = JsonTrees.object();
        ObjectNode metadata = patch.putObject("metadata");
        Resource.finalizers(metadata, finalizers);
        ObjectNode set = metadata.putObject("labels");
        labels.forEach(set::put);
        TemplateObject now = templates.patch(observed.ref(), "", patch);
        return now.deleting() && now.finalizers().isEmpty() ? Optional.empty() : Optional.of(now);
    }

    @Override
    public Optional<TemplateObject> delete(TemplateObject observed) throws ApiException {
        return templates.delete(observed.ref());
    }

    @Override
    public StoredObjects<LeaseContent> leases() {
        return new HttpStoredObjects<>(leases, namespace, ControlJson::lease);
    }

    @Override
    public void record(EventDraft draft) throws ApiException {
        var _ = events.create(draft.about().namespace(), "", EventJson.of(draft, instance, clock.instant()));
    }

    @Override
    public FabricObjects fabric() {
        return fabric;
    }

    @Override
    public Reviews reviews() {
        return reviews;
    }

    @Override
    public Map<String, UnreadObjects> unread() {
        return transport.unread();
    }

    @Override
    public KubernetesApi.State state() {
        return transport.state();
    }

    @Override
    public void close() {
        transport.close();
    }
}
