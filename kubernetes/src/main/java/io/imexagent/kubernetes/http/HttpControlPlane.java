package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.ControlPlane.TemplateObject.TemplateContent;
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
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.JsonScanner;
import io.imexagent.kubernetes.json.UnreadableException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The controller's side of the API, over the same transport as the agent's. */
public final class HttpControlPlane extends HttpApi implements ControlPlane {

    /** In memory: thirty long finalizers, and the eight conditions that the definition admits, as long as they are kept. */
    private static final int LARGEST_DOMAIN = 128 << 10;

    /** More than a message of this controller takes, as it is written. */
    private static final int LONGEST_MESSAGE = 4 << 10;

    /** More than a condition takes that the definition of ComputeDomains admits, as it is written. */
    private static final int LONGEST_CONDITION = 256 << 10;

    private static final String CONDITIONS = "status.conditions";
    private static final String REQUEST = "channel";
    private static final String CONFIG_KIND = "ComputeDomainChannelConfig";
    private static final String SINGLE = "Single";
    private static final String ANNOTATIONS = "spec.metadata.annotations";

    /** A ComputeDomain, as far as the controller decides on it. */
    static final Decoder<DomainObject> DOMAIN = new Decoder<>(
            FieldSelection.ofObject(
                            "metadata.generation",
                            "spec.channel.resourceClaimTemplate.name",
                            "spec.channel.allocationMode",
                            "status.status",
                            CONDITIONS + "[].type,status,reason,message,observedGeneration,lastTransitionTime")
                    .note("metadata.annotations", DriverNames.PLACEMENT_ANNOTATION)
                    .note(CONDITIONS + "[]", "message")
                    .longest(LONGEST_MESSAGE, CONDITIONS + "[].message")
                    .room(LARGEST_DOMAIN),
            domain -> new DomainObject(
                    domain.ref(),
                    domain.whole("metadata.generation").orElse(0),
                    domain.deleting(),
                    domain.finalizers(),
                    domain.text("spec.channel.resourceClaimTemplate.name"),
                    domain.text("spec.channel.allocationMode"),
                    new DomainStatus(
                            domain.text("status.status").equals("Ready"),
                            domain.each(CONDITIONS).stream()
                                    .flatMap(condition -> condition(condition).stream())
                                    .toList()),
                    domain.text("metadata.annotations." + DriverNames.PLACEMENT_ANNOTATION)),
            HttpControlPlane::cost);

    /** The conditions of a ComputeDomain, by their types, as the server wrote them; empty where one is too large to read. */
    private static final Decoder<Optional<Map<String, ObjectNode>>> WRITTEN_CONDITIONS = new Decoder<>(
            FieldSelection.of(CONDITIONS + "[]!").longest(LONGEST_CONDITION, CONDITIONS + "[]"),
            domain -> conditions(domain.each(CONDITIONS)));

    /** What a ComputeDomain takes besides its texts, and a condition, and a text besides its characters. */
    private static final int OBJECT = 256;

    private static final int CONDITION = 96;
    private static final int TEXT = 64;

    static final Decoder<TemplateObject> TEMPLATE = new Decoder<>(
            FieldSelection.ofObject(
                            "metadata.labels.*",
                            "spec.spec.devices.constraints",
                            "spec.spec.devices.config[].requests[]",
                            "spec.spec.devices.config[].opaque.driver",
                            "spec.spec.devices.config[].opaque.parameters.domainID,apiVersion,kind,allocationMode",
                            "spec.spec.devices.requests[].name",
                            "spec.spec.devices.requests[].exactly.deviceClassName,allocationMode,count,adminAccess",
                            "spec.spec.devices.requests[].exactly.tolerations,capacity,selectors")
                    .note(ANNOTATIONS, DriverNames.DOMAIN_ANNOTATION),
            template -> new TemplateObject(
                    template.ref(),
                    template.deleting(),
                    template.finalizers(),
                    template.map("metadata.labels"),
                    content(template)));

    static final Decoder<Stored<LeaseContent>> LEASE = new Decoder<>(
            FieldSelection.ofObject(
                    "metadata.labels.*",
                    "metadata.annotations.*",
                    "spec.holderIdentity,acquireTime,renewTime,leaseDurationSeconds,leaseTransitions"),
            lease -> lease.stored(lease(lease)));

    private static final String WORKLOADS = DriverNames.TARGET + "=" + DriverNames.WORKLOAD;

    /** The holder has 7 s to renew its Lease: after a call that hangs there must be time for another one. */
    private static final Duration ELECTION_CALL = Duration.ofSeconds(3);

    /** Connections at a time; the lease has one of its own, so that a burst of work never costs the leadership. */
    private static final int AT_ONCE = 8;

    private final String namespace;
    private final Resource<DomainObject> domains;
    private final Resource<TemplateObject> templates;
    private final Resource<Stored<LeaseContent>> leases;
    private final Resource<Stored<CliquePlacement>> placements;

    /**
     * A client that calls itself {@code userAgent} in the audit log and {@code identity} in Events, and makes so many
     * calls a second to reconcile, bursts of as many apart; {@code random} spreads its pauses, by numbers in 0 … 1.
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
        this.domains = new Resource<>(transport, calls, Resource.COMPUTE_DOMAINS, "ComputeDomain", DOMAIN);
        this.templates = new Resource<>(transport, calls, Resource.DRA, "ResourceClaimTemplate", TEMPLATE);
        this.placements =
                new Resource<>(transport, calls, Resource.FABRIC, "CliquePlacement", HttpPlacements.PLACEMENT);
        this.leases = new Resource<>(transport, calls, Resource.COORDINATION, "Lease", LEASE)
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
        // A patch replaces the list: where others' conditions cannot be carried over, all stay as they are.
        if (others.isPresent()) {
            ArrayNode conditions = status.putArray("conditions");
            to.conditions().forEach(condition -> conditions.add(written(condition)));
            conditions.addAll(others.get());
        }
        return domains.patch(observed.ref(), "/status", patch);
    }

    /** The conditions of other types, as the server has them; empty where they are too large to read. */
    private Optional<List<ObjectNode>> othersConditions(DomainObject observed, Set<String> own) throws ApiException {
        if (observed.status().conditions().stream().allMatch(condition -> own.contains(condition.type()))) {
            return Optional.of(List.of());
        }
        ObjectRef ref = observed.ref();
        return domains.reading(WRITTEN_CONDITIONS)
                .get(ref.namespace(), ref.name())
                .orElseGet(() -> Optional.of(Map.of()))
                .map(all -> all.entrySet().stream()
                        .filter(condition -> !own.contains(condition.getKey()))
                        .map(Map.Entry::getValue)
                        .toList());
    }

    private static Optional<Map<String, ObjectNode>> conditions(List<FieldValues> conditions) throws IOException {
        var byType = new LinkedHashMap<String, ObjectNode>();
        for (FieldValues condition : conditions) {
            Optional<String> text = condition.raw("").flatMap(JsonScanner.Raw::text);
            if (text.isEmpty()) {
                return Optional.empty();
            }
            ObjectNode written = JsonTrees.object(text.get());
            byType.put(written.path("type").asText(), written);
        }
        return Optional.of(byType);
    }

    private static ObjectNode written(DomainCondition condition) {
        return JsonTrees.object()
                .put("type", condition.type())
                .put("status", condition.status().text())
                .put("observedGeneration", condition.generation())
                .put("lastTransitionTime", condition.since().toString())
                .put("reason", condition.reason())
                .put("message", condition.message());
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
        return templates.create(draft.namespace(), draft.name(), template(draft));
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
        return new HttpStoredObjects<>(leases, namespace, HttpControlPlane::lease);
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

    private static int cost(DomainObject domain) {
        List<DomainCondition> conditions = domain.status().conditions();
        ObjectRef ref = domain.ref();
        return OBJECT
                + CONDITION * conditions.size()
                + Stream.of(
                                Stream.of(ref.uid(), ref.namespace(), ref.name(), ref.version()),
                                Stream.of(domain.templateName(), domain.allocationMode(), domain.placement()),
                                domain.finalizers().stream(),
                                conditions.stream().flatMap(is -> Stream.of(is.type(), is.reason(), is.message())))
                        .flatMap(texts -> texts)
                        .mapToInt(text -> TEXT + 2 * text.length())
                        .sum();
    }

    /** A condition; empty where it is none that a controller writes. */
    private static Optional<DomainCondition> condition(FieldValues condition) {
        Optional<DomainCondition.ConditionStatus> status = Stream.of(DomainCondition.ConditionStatus.values())
                .filter(value -> value.text().equals(condition.text("status")))
                .findFirst();
        try {
            Optional<Instant> since = condition.time("lastTransitionTime");
            return status.isEmpty() || since.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new DomainCondition(
                            condition.text("type"),
                            status.get(),
                            condition.text("reason"),
                            condition.text("message"),
                            condition.whole("observedGeneration").orElse(0),
                            since.get()));
        } catch (UnreadableException noTime) {
            return Optional.empty();
        }
    }

    /** Fields that a later server adds make no other content: else it would be replaced for ever. */
    private static TemplateContent content(FieldValues template) {
        List<FieldValues> configs = template.each("spec.spec.devices.config");
        List<FieldValues> requests = template.each("spec.spec.devices.requests");
        Optional<String> domain = configs.stream()
                .filter(config -> config.text("opaque.driver").equals(DriverNames.DRIVER))
                .flatMap(config -> config.given("opaque.parameters.domainID").stream())
                .findFirst();
        boolean workload = configs.size() == 1
                && forChannel(configs.getFirst())
                && requests.size() == 1
                && single(requests.getFirst())
                && template.count("spec.spec.devices.constraints") == 0
                && namesAtMostTheDomain(template);
        return workload && domain.isPresent()
                ? new TemplateContent.WorkloadTemplate(
                        domain.get(), requests.getFirst().text("exactly.deviceClassName"))
                : new TemplateContent.OtherTemplate(domain);
    }

    /** Claims say the name of their ComputeDomain, or, as those of the public controller's templates, nothing. */
    private static boolean namesAtMostTheDomain(FieldValues template) {
        int named = template.has(ANNOTATIONS + "." + DriverNames.DOMAIN_ANNOTATION) ? 1 : 0;
        return template.count("spec.metadata") == named && template.count(ANNOTATIONS) == named;
    }

    private static boolean single(FieldValues request) {
        return request.text("name").equals(REQUEST)
                && request.has("exactly")
                && (!request.has("exactly.allocationMode")
                        || request.text("exactly.allocationMode").equals("ExactCount"))
                && request.whole("exactly.count", 1) == 1
                && request.count("exactly.selectors") == 0
                && !request.isTrue("exactly.adminAccess")
                && request.count("exactly.tolerations") == 0
                && request.count("exactly.capacity") == 0;
    }

    private static boolean forChannel(FieldValues config) {
        return config.texts("requests").equals(List.of(REQUEST))
                && config.count("opaque.parameters") == 4
                && config.text("opaque.parameters.apiVersion").equals(DriverNames.API_VERSION)
                && config.text("opaque.parameters.kind").equals(CONFIG_KIND)
                && config.text("opaque.parameters.allocationMode").equals(SINGLE);
    }

    static ObjectNode template(TemplateDraft draft) {
        ObjectNode metadata = Resource.named(draft.namespace(), draft.name());
        draft.finalizers().forEach(metadata.putArray("finalizers")::add);
        Resource.texts(metadata, "labels", draft.labels());
        ObjectNode object = Resource.DRA.object("ResourceClaimTemplate", metadata);
        ObjectNode spec = object.putObject("spec");
        spec.putObject("metadata").putObject("annotations").put(DriverNames.DOMAIN_ANNOTATION, draft.domainName());
        ObjectNode devices = spec.putObject("spec").putObject("devices");
        ObjectNode config = devices.putArray("config").addObject();
        config.putArray("requests").add(REQUEST);
        config.putObject("opaque")
                .put("driver", DriverNames.DRIVER)
                .putObject("parameters")
                .put("allocationMode", SINGLE)
                .put("apiVersion", DriverNames.API_VERSION)
                .put("domainID", draft.content().domain())
                .put("kind", CONFIG_KIND);
        devices.putArray("requests")
                .addObject()
                .put("name", REQUEST)
                .putObject("exactly")
                .put("allocationMode", "ExactCount")
                .put("count", 1)
                .put("deviceClassName", draft.content().deviceClass());
        return object;
    }

    private static LeaseContent lease(FieldValues lease) throws UnreadableException {
        int seconds = lease.whole("spec.leaseDurationSeconds", 0);
        return new LeaseContent(
                lease.given("spec.holderIdentity"),
                lease.time("spec.acquireTime"),
                lease.time("spec.renewTime"),
                seconds > 0 ? Optional.of(Duration.ofSeconds(seconds)) : Optional.empty(),
                lease.whole("spec.leaseTransitions", 0),
                lease.map("metadata.labels"),
                lease.map("metadata.annotations"));
    }

    static ObjectNode lease(ObjectNode metadata, LeaseContent content) {
        Resource.texts(metadata, "labels", content.labels());
        Resource.texts(metadata, "annotations", content.annotations());
        ObjectNode object = Resource.COORDINATION.object("Lease", metadata);
        ObjectNode spec = object.putObject("spec").put("leaseTransitions", content.transitions());
        content.holder().ifPresent(holder -> spec.put("holderIdentity", holder));
        content.acquired().ifPresent(at -> spec.put("acquireTime", Resource.micros(at)));
        content.renewed().ifPresent(at -> spec.put("renewTime", Resource.micros(at)));
        content.duration().ifPresent(span -> spec.put("leaseDurationSeconds", (int) span.toSeconds()));
        return object;
    }
}
