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
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import io.imexagent.kubernetes.control.ControlPlane;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.EventDraft;
import io.imexagent.kubernetes.control.FabricControl;
import io.imexagent.kubernetes.control.LeaseContent;
import io.imexagent.kubernetes.control.LeaseObject;
import io.imexagent.kubernetes.control.Leases;
import io.imexagent.kubernetes.control.TemplateDraft;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.WatchNews;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/** The controller's side of the API, over the same transport as the agent's. */
public final class HttpControlPlane implements ControlPlane {

    /** The label of the templates that users' pods name; {@code Daemon} is the public driver's other kind. */
    private static final String WORKLOADS = DriverNames.API_GROUP + "/computeDomainTarget=Workload";

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
    private final RateLimiter leasing = RateLimiter.unpaced(2);
    private final Resource domains;
    private final Resource templates;
    private final Resource leases;
    private final Resource events;
    private final HttpFabric fabric;
    private final HttpReviews reviews;

    /**
     * A client.
     *
     * @param access how the server is reached
     * @param userAgent what the client calls itself in the server's audit log
     * @param identity what this controller is called, in Events
     * @param namespace the controller's own namespace
     * @param callsPerSecond how many calls a second reconciliation makes at most, bursts of as many apart
     * @param clock the time
     * @param random random numbers in 0 … 1, to spread repeated tries
     * @param observer hears of every call
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
        this.domains = resource("ComputeDomain", Resource.COMPUTE_DOMAINS, "computedomains", work);
        this.templates = resource("ResourceClaimTemplate", Resource.DRA, "resourceclaimtemplates", work);
        this.leases =
                resource("Lease", Resource.COORDINATION, "leases", leasing).within(ELECTION_CALL);
        this.events = resource("Event", Resource.CORE, "events", work);
        this.fabric = new HttpFabric(transport, work, watches);
        this.reviews = new HttpReviews(transport);
    }

    private Resource resource(String kind, Resource.Group group, String plural, RateLimiter limiter) {
        return new Resource(transport, limiter, kind, group, plural);
    }

    @Override
    public void watch(
            Consumer<WatchNews<DomainObject>> ofDomains,
            Consumer<WatchNews<TemplateObject>> ofTemplates,
            Consumer<WatchNews<Stored<NvlinkNode>>> ofNodes,
            Consumer<WatchNews<Stored<NvlinkClique>>> ofCliques) {
        transport.reflector(watches, domains.everywhere(ControlJson.DOMAIN)).start(ofDomains);
        transport
                .reflector(
                        watches,
                        templates.labelled("ResourceClaimTemplates of workloads", WORKLOADS, TemplateJson.DECODER))
                .start(ofTemplates);
        fabric.watch(ofNodes, ofCliques);
    }

    @Override
    public Optional<ApiFailure> watchFailure() {
        return transport.watchFailure();
    }

    @Override
    public Optional<DomainObject> setFinalizers(DomainObject observed, List<String> finalizers) throws ApiException {
        ObjectNode patch = ControlJson.patch(observed.ref());
        ControlJson.finalizers(patch.withObject("/metadata"), finalizers);
        DomainObject now = patch(observed, "", patch);
        return now.deleting() && now.finalizers().isEmpty() ? Optional.empty() : Optional.of(now);
    }

    @Override
    public DomainObject setStatus(DomainObject observed, boolean ready) throws ApiException {
        ObjectNode patch = ControlJson.patch(observed.ref());
        patch.putObject("status").put("status", ready ? "Ready" : "NotReady");
        return patch(observed, "/status", patch);
    }

    private DomainObject patch(DomainObject observed, String subresource, ObjectNode patch) throws ApiException {
        return domains.patch(observed.ref().namespace(), observed.ref().name(), subresource, patch, ControlJson.DOMAIN);
    }

    @Override
    public Optional<DomainObject> find(ComputeDomainUid uid, String where) throws ApiException {
        return domains.find(uid.value(), domains.in(where, ControlJson.DOMAIN));
    }

    @Override
    public Optional<TemplateObject> template(String where, String name) throws ApiException {
        return templates.get(where, name, TemplateJson.DECODER);
    }

    @Override
    public TemplateObject create(TemplateDraft draft) throws ApiException {
        return templates.create(draft.namespace(), draft.name(), TemplateJson.created(draft), TemplateJson.DECODER);
    }

    @Override
    public Optional<TemplateObject> mend(TemplateObject observed, Map<String, String> labels, List<String> finalizers)
            throws ApiException {
        ObjectNode patch = ControlJson.patch(observed.ref());
        ObjectNode metadata = patch.withObject("/metadata");
        ControlJson.finalizers(metadata, finalizers);
        ObjectNode set = metadata.putObject("labels");
        labels.forEach(set::put);
        TemplateObject now =
                templates.patch(observed.ref().namespace(), observed.ref().name(), "", patch, TemplateJson.DECODER);
        return now.deleting() && now.finalizers().isEmpty() ? Optional.empty() : Optional.of(now);
    }

    @Override
    public Optional<TemplateObject> delete(TemplateObject observed) throws ApiException {
        return templates.delete(
                observed.ref().namespace(),
                observed.ref().name(),
                ControlJson.preconditions(observed.ref()),
                TemplateJson.DECODER);
    }

    @Override
    public Leases leases() {
        return new Leases() {
            @Override
            public Optional<LeaseObject> get(String name) throws ApiException {
                return leases.get(namespace, name, LeaseJson.DECODER);
            }

            @Override
            public LeaseObject create(String name, LeaseContent content) throws ApiException {
                return leases.create(namespace, name, LeaseJson.created(namespace, name, content), LeaseJson.DECODER);
            }

            @Override
            public LeaseObject replace(LeaseObject observed, LeaseContent content) throws ApiException {
                return leases.update(
                        namespace, observed.ref().name(), LeaseJson.replaced(observed, content), LeaseJson.DECODER);
            }
        };
    }

    @Override
    public void record(EventDraft draft) throws ApiException {
        events.create(draft.about().namespace(), "", EventJson.of(draft, instance, clock.instant()), Decoder.ANY);
    }

    @Override
    public FabricControl fabric() {
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
