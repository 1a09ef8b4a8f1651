package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.DomainCondition;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.ObjectRef;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.clique.CliquePlacement;
import io.imexagent.kubernetes.clique.FabricObjects.StoredObjects;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.http.HttpFabric.HttpStoredObjects;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The controller's side of the API, over the same transport as the agent's. */
public final class HttpControlPlane extends HttpApi implements ControlPlane {

    private static final String WORKLOADS = DriverNames.TARGET + "=" + DriverNames.WORKLOAD;

    /**
     * The timeout of a call for the Lease. The holder has 7 s to renew it: after a call that hangs there must be time
     * for another one.
     */
    private static final Duration ELECTION_CALL = Duration.ofSeconds(3);

    /**
     * The most connections at a time. The Lease has connections of its own, so that a burst of work never costs the
     * leadership.
     */
    private static final int AT_ONCE = 8;

    private final String namespace;
    private final Resource<DomainObject> domains;
    private final Resource<TemplateObject> templates;
    private final Resource<Stored<LeaseContent>> leases;
    private final Resource<Stored<CliquePlacement>> placements;

    /**
     * Creates a client with the name {@code userAgent} in the audit log and {@code identity} in Events. To reconcile,
     * it makes at most {@code callsPerSecond} calls per second, plus a burst of the same number. {@code random} returns
     * numbers in 0 … 1, which spread its pauses.
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
        RateLimiter work = RateLimiter.paced(AT_ONCE, callsPerSecond, callsPerSecond);
        super(
                new Transport(Caller.CONTROLLER, access, userAgent, clock, observer),
                random,
                work,
                RateLimiter.paced(AT_ONCE, 20, 40),
                work,
                Caller.CONTROLLER.text(),
                Optional.of(identity));
        this.namespace = namespace;
        this.domains = new Resource<>(transport, calls, Resource.COMPUTE_DOMAINS, "ComputeDomain", HttpDomains.DOMAIN);
        this.templates =
                new Resource<>(transport, calls, Resource.DRA, "ResourceClaimTemplate", HttpTemplates.TEMPLATE);
        this.placements =
                new Resource<>(transport, calls, Resource.FABRIC, "CliquePlacement", HttpPlacements.PLACEMENT);
        this.leases = new Resource<>(transport, calls, Resource.COORDINATION, "Lease", HttpLeases.LEASE)
                .under(RateLimiter.unpaced(2))
                .within(ELECTION_CALL);
    }

    @Override
    public void watch(
            Consumer<WatchUpdate<DomainObject>> ofDomains,
            Consumer<WatchUpdate<TemplateObject>> ofTemplates,
            Consumer<WatchUpdate<Stored<NvlinkNode>>> ofNodes,
            Consumer<WatchUpdate<Stored<NvlinkClique>>> ofCliques) {
        reflectors.of(Collection.everywhere(domains.under(lists))).start(ofDomains);
        reflectors
                .of(Collection.selected(
                        templates.under(lists), "ResourceClaimTemplates of workloads", "labelSelector", WORKLOADS))
                .start(ofTemplates);
        fabric().watch(ofNodes, ofCliques);
    }

    @Override
    public Supplier<Optional<ApiFailure>> watchTests(Consumer<WatchUpdate<Stored<FabricTest>>> tests) {
        return fabric().watchTests(tests)::failure;
    }

    @Override
    public Supplier<Optional<ApiFailure>> watchPlacements(Consumer<WatchUpdate<Stored<CliquePlacement>>> listener) {
        Reflector<Stored<CliquePlacement>> reflector =
                reflectors.optional(Collection.everywhere(placements.under(lists)));
        reflector.start(listener);
        return reflector::failure;
    }

    @Override
    public Optional<ApiFailure> watchFailure() {
        return reflectors.failure();
    }

    @Override
    public Optional<DomainObject> setFinalizers(DomainObject observed, List<String> finalizers) throws ApiException {
        return domains.patchMetadata(observed.ref(), Map.of(), finalizers);
    }

    @Override
    public DomainObject setStatus(DomainObject observed, DomainStatus to) throws ApiException {
        ObjectNode patch = JsonTrees.object();
        ObjectNode status = patch.putObject("status").put("status", to.ready() ? "Ready" : "NotReady");
        Set<String> own = to.conditions().stream().map(DomainCondition::type).collect(Collectors.toSet());
        Optional<List<ObjectNode>> others = othersConditions(observed, own);
        // A patch replaces the list: if others' conditions cannot be carried over, all conditions stay as they are.
        if (others.isPresent()) {
            ArrayNode conditions = status.putArray("conditions");
            to.conditions().forEach(condition -> conditions.add(HttpDomains.written(condition)));
            conditions.addAll(others.get());
        }
        return domains.patch(observed.ref(), "/status", patch);
    }

    /** Reads the conditions of other types as the server has them; empty if they are too large to read. */
    private Optional<List<ObjectNode>> othersConditions(DomainObject observed, Set<String> own) throws ApiException {
        if (observed.status().conditions().stream().allMatch(condition -> own.contains(condition.type()))) {
            return Optional.of(List.of());
        }
        ObjectRef ref = observed.ref();
        return domains.reading(HttpDomains.WRITTEN_CONDITIONS)
                .get(ref.namespace(), ref.name())
                .orElseGet(() -> Optional.of(Map.of()))
                .map(all -> all.entrySet().stream()
                        .filter(condition -> !own.contains(condition.getKey()))
                        .map(Map.Entry::getValue)
                        .toList());
    }

    @Override
    public Optional<DomainObject> find(ComputeDomainUid uid, String where) throws ApiException {
        return Collection.in(where, domains).find(uid.value());
    }

    @Override
    public Optional<TemplateObject> template(String where, String name) throws ApiException {
        return templates.get(where, name);
    }

    @Override
    public TemplateObject create(TemplateDraft draft) throws ApiException {
        return templates.create(draft.namespace(), draft.name(), HttpTemplates.written(draft));
    }

    @Override
    public Optional<TemplateObject> patchMetadata(
            TemplateObject observed, Map<String, String> labels, List<String> finalizers) throws ApiException {
        return templates.patchMetadata(observed.ref(), labels, finalizers);
    }

    @Override
    public Optional<TemplateObject> delete(TemplateObject observed) throws ApiException {
        return templates.delete(observed.ref());
    }

    @Override
    public StoredObjects<LeaseContent> leases() {
        return new HttpStoredObjects<>(leases, namespace, HttpLeases::written);
    }

    @Override
    public StoredObjects<CliquePlacement> placements(String where) {
        return new HttpStoredObjects<>(placements, where, HttpPlacements::written);
    }

    @Override
    public List<PlacedPod> placedPods() throws ApiException {
        var pods = new Resource<>(transport, lists, Resource.CORE, "Pod", HttpPlacements.POD);
        return Collection.labelled("", pods, "pods of ComputeDomains", DriverNames.DOMAIN_LABEL)
                .all();
    }

    @Override
    public Map<String, String> cliqueLabels() throws ApiException {
        var nodes = new Resource<>(transport, lists, Resource.CORE, "Node", HttpPlacements.LABEL);
        return Collection.labelled("", nodes, "Nodes with the label of a clique", DriverNames.CLIQUE_LABEL)
                .all()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (one, later) -> later));
    }
}
