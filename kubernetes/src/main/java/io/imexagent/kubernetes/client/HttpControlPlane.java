package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.control.ClaimUse;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

/** The controller's side of the API, over the same transport as the agent's. */
public final class HttpControlPlane implements ControlPlane {

    /** The Lease of the election. */
    private static final String ELECTION = "imex-controller";

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
    private final Resource claims;
    private final Resource leases;
    private final Resource ledger;
    private final Resource events;
    private final Resource slices;
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
        this.claims = resource("ResourceClaim", Resource.DRA, "resourceclaims", work);
        this.leases =
                resource("Lease", Resource.COORDINATION, "leases", leasing).within(ELECTION_CALL);
        this.ledger = resource("Lease", Resource.COORDINATION, "leases", work);
        this.events = resource("Event", Resource.CORE, "events", work);
        this.slices = resource("ResourceSlice", Resource.DRA, "resourceslices", work);
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
            Consumer<WatchNews<ClaimUse>> ofClaims,
            Consumer<WatchNews<LeaseObject>> ofLeases) {
        transport.reflector(watches, domains.everywhere(ControlJson.DOMAIN)).start(ofDomains);
        transport.reflector(watches, templates.everywhere(TemplateJson.DECODER)).start(ofTemplates);
        transport
                .reflector(watches, claims.everywhere(ControlJson.CLAIM))
                .start(news -> news.map(Function.<Optional<ClaimUse>>identity()).ifPresent(ofClaims));
        transport.reflector(watches, leases.in(namespace, LeaseJson.DECODER)).start(ofLeases);
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
    public DomainObject setStatus(DomainObject observed, boolean ready, Optional<ChannelId> channel)
            throws ApiException {
        ObjectNode patch = ControlJson.patch(observed.ref());
        ObjectNode status = patch.putObject("status").put("status", ready ? "Ready" : "NotReady");
        channel.ifPresentOrElse(id -> status.put("channel", id.number()), () -> status.putNull("channel"));
        return patch(observed, "/status", patch);
    }

    @Override
    public DomainObject annotate(DomainObject observed, String annotation, String value) throws ApiException {
        ObjectNode patch = ControlJson.patch(observed.ref());
        patch.withObject("/metadata").putObject("annotations").put(annotation, value);
        return patch(observed, "", patch);
    }

    private DomainObject patch(DomainObject observed, String subresource, ObjectNode patch) throws ApiException {
        return domains.patch(observed.ref().namespace(), observed.ref().name(), subresource, patch, ControlJson.DOMAIN);
    }

    @Override
    public Optional<DomainObject> find(ComputeDomainUid uid, Optional<String> where) throws ApiException {
        return domains.find(
                uid.value(),
                where.isPresent()
                        ? domains.in(where.get(), ControlJson.DOMAIN)
                        : domains.everywhere(ControlJson.DOMAIN));
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
                return calls(name)
                        .create(namespace, name, LeaseJson.created(namespace, name, content), LeaseJson.DECODER);
            }

            @Override
            public LeaseObject replace(LeaseObject observed, LeaseContent content) throws ApiException {
                String name = observed.ref().name();
                return calls(name).update(namespace, name, LeaseJson.replaced(observed, content), LeaseJson.DECODER);
            }

            // The election's lease waits for nobody; the ledger's are work like any other.
            private Resource calls(String name) {
                return name.equals(ELECTION) ? leases : ledger;
            }
        };
    }

    @Override
    public List<ClaimUse> claims(String where) throws ApiException {
        return claims.list(claims.in(where, ControlJson.CLAIM)).objects().values().stream()
                .flatMap(Optional::stream)
                .toList();
    }

    @Override
    public Map<String, Set<ChannelId>> published() throws ApiException {
        Map<String, Set<ChannelId>> published = new HashMap<>();
        slices.list(slices.selected(
                        "ResourceSlices of all nodes", "spec.driver=" + DriverNames.DRIVER, ControlJson.PUBLISHED))
                .objects()
                .values()
                .forEach(slice -> published
                        .computeIfAbsent(slice.node(), none -> new HashSet<>())
                        .addAll(slice.channels()));
        return published;
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
    public KubernetesApi.State state() {
        return transport.state();
    }

    @Override
    public void close() {
        transport.close();
    }
}
