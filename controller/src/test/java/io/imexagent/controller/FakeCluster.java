package io.imexagent.controller;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.DomainStatus;
import io.imexagent.kubernetes.ControlPlane.LeaseContent;
import io.imexagent.kubernetes.ControlPlane.TemplateDraft;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.DomainCondition;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Events.Event;
import io.imexagent.kubernetes.ObjectRef;
import io.imexagent.kubernetes.Outage;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.CliquePlacement;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An API server in memory, for planning and races: atomic creates, versions, preconditions, finalizers, and a history
 * that each client follows at its own pace. The rules of the real one for these kinds, no more; the API double in
 * {@code testing} has them over the wire.
 */
public final class FakeCluster {

    /** What happened, in order. */
    public sealed interface Change {

        /** A ComputeDomain is so, or is gone. */
        record Domain(DomainObject object, boolean gone) implements Change {}

        /** A template is so, or is gone, or has no more the label that it is watched by. */
        record Template(TemplateObject object, boolean gone) implements Change {}

        /** The object of a node is so, or is gone. */
        record Node(Stored<NvlinkNode> object, boolean gone) implements Change {}

        /** A CliquePlacement is so, or is gone. */
        record Placement(Stored<CliquePlacement> object, boolean gone) implements Change {}

        /** A table is so, or is gone. */
        record Table(Stored<NvlinkClique> object, boolean gone) implements Change {}
    }

    final Map<String, DomainObject> domains = new LinkedHashMap<>();
    final Map<String, TemplateObject> templates = new LinkedHashMap<>();
    final Map<String, Stored<LeaseContent>> leases = new TreeMap<>();
    final Map<String, Stored<NvlinkNode>> nodes = new TreeMap<>();
    final Map<String, Stored<NvlinkClique>> tables = new TreeMap<>();
    final Map<String, Stored<FabricTest>> tests = new TreeMap<>();
    Optional<ApiFailure> testsFailure = Optional.empty();
    /** By their namespaces. */
    final Map<String, Stored<CliquePlacement>> placements = new TreeMap<>();

    Optional<ApiFailure> placementsFailure = Optional.empty();
    final Map<String, Boolean> kubernetesNodes = new TreeMap<>();

    /** The values of the label that names racks, by Nodes. */
    final Map<String, String> rackLabels = new TreeMap<>();

    final Set<String> unreadable = new TreeSet<>();
    private final Set<String> ending = new TreeSet<>();
    final List<Change> history = new ArrayList<>();
    final List<Event> events = new ArrayList<>();
    private int revision;
    private int uids;
    private boolean prunes;

    /** Makes a ComputeDomain as a user does. */
    public synchronized DomainObject createDomain(String name, String template) {
        return put(new DomainObject(
                ref("team", name), 1, false, List.of(), template, "Single", new DomainStatus(false, List.of()), ""));
    }

    /** Puts a ComputeDomain there as it stands, but for its version. */
    public synchronized DomainObject put(DomainObject domain) {
        var now = new DomainObject(
                next(domain.ref()),
                domain.generation(),
                domain.deleting(),
                domain.finalizers(),
                domain.templateName(),
                domain.allocationMode(),
                domain.status(),
                domain.placement());
        boolean gone = now.deleting() && now.finalizers().isEmpty();
        if (gone) {
            domains.remove(now.ref().uid());
        } else {
            domains.put(now.ref().uid(), now);
        }
        history.add(new Change.Domain(now, gone));
        return now;
    }

    /** Deletes a ComputeDomain as a user does. */
    public synchronized void deleteDomain(String uid) {
        DomainObject domain = domains.get(uid);
        if (domain != null && !domain.deleting()) {
            put(new DomainObject(
                    domain.ref(),
                    domain.generation() + 1,
                    true,
                    domain.finalizers(),
                    domain.templateName(),
                    domain.allocationMode(),
                    domain.status(),
                    domain.placement()));
        }
    }

    /** Takes the finalizers of a ComputeDomain away, as somebody with an editor does; it is gone then. */
    public synchronized void strip(DomainObject domain) {
        put(new DomainObject(domain.ref(), 2, true, List.of(), domain.templateName(), "Single", domain.status(), ""));
    }

    /** Puts a template there as it stands, but for its version. */
    public synchronized TemplateObject put(TemplateObject template) {
        var now = new TemplateObject(
                next(template.ref()),
                template.deleting(),
                template.finalizers(),
                template.labels(),
                template.content());
        boolean gone = now.deleting() && now.finalizers().isEmpty();
        if (gone) {
            templates.remove(now.ref().uid());
        } else {
            templates.put(now.ref().uid(), now);
        }
        history.add(new Change.Template(now, gone || !watched(now)));
        return now;
    }

    private static boolean watched(TemplateObject template) {
        return DriverNames.WORKLOAD.equals(template.labels().get(DriverNames.TARGET));
    }

    /** Deletes a template as a user does. */
    public synchronized void deleteTemplate(String uid) {
        TemplateObject template = templates.get(uid);
        if (template != null) {
            put(new TemplateObject(template.ref(), true, template.finalizers(), template.labels(), template.content()));
        }
    }

    /** An agent says that its node is in a clique and holds this; of the node's boot and sight it says nothing. */
    public synchronized Stored<NvlinkNode> hold(String node, CliqueId clique, int channels, Hold... holds) {
        if (!nodes.containsKey(node)) {
            kubernetesNodes.putIfAbsent(node, true);
        }
        var content = new NvlinkNode(
                "session",
                revision,
                new TreeSet<>(Set.of(clique)),
                Optional.empty(),
                channels > 0 ? OptionalInt.of(channels) : OptionalInt.empty(),
                NvlinkNode.byDomain(Arrays.asList(holds)),
                NodeStatus.NONE,
                true);
        Optional<Stored<NvlinkNode>> before = Optional.ofNullable(nodes.get(node));
        return put(new Stored<>(
                        node,
                        before.map(Stored::uid).orElseGet(this::uid),
                        "",
                        before.map(Stored::deleting).orElse(false),
                        content)
                .with(before.flatMap(Stored::outage)));
    }

    /** The agent of a node says what it does with channels, or nothing. */
    public synchronized Stored<NvlinkNode> mode(String node, Optional<NodeMode> mode) {
        return sight(node, said(node).content().status().in(mode));
    }

    /** The agent of a node says that it is in this clique, whatever those in which it holds. */
    public synchronized Stored<NvlinkNode> at(String node, CliqueId clique) {
        return sight(
                node,
                new NodeStatus(
                        Optional.of(clique),
                        Optional.empty(),
                        0,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalLong.empty(),
                        Optional.empty(),
                        Optional.empty()));
    }

    private Stored<NvlinkNode> said(String node) {
        return Optional.ofNullable(nodes.get(node)).orElseThrow(() -> new AssertionError("no NVLinkNode " + node));
    }

    private Stored<NvlinkNode> sight(String node, NodeStatus sight) {
        Stored<NvlinkNode> now = said(node);
        NvlinkNode said = now.content();
        return put(new Stored<>(
                        node,
                        now.uid(),
                        "",
                        now.deleting(),
                        new NvlinkNode(
                                said.session(),
                                revision,
                                said.cliques(),
                                said.boot(),
                                said.channels(),
                                said.holds(),
                                sight,
                                said.guarded()))
                .with(now.outage()));
    }

    /** Puts the object of a node there as it stands, but for its version. */
    public synchronized Stored<NvlinkNode> put(Stored<NvlinkNode> node) {
        var now = new Stored<>(node.name(), node.uid(), next(), node.deleting(), node.content()).with(node.outage());
        nodes.put(now.name(), now);
        history.add(new Change.Node(now, false));
        return now;
    }

    /** Puts a table there as it stands, but for its version. */
    public synchronized Stored<NvlinkClique> restore(Stored<NvlinkClique> table) {
        var now = new Stored<>(table.name(), table.uid(), next(), table.deleting(), table.content());
        tables.put(now.name(), now);
        history.add(new Change.Table(now, false));
        return now;
    }

    /** Removes a table, whatever keeps it. */
    public synchronized void lose(CliqueId clique) {
        remove(Optional.ofNullable(tables.get(clique.text())));
    }

    /** Deletes the object of a node, or a table, as somebody with the right does: a finalizer keeps it. */
    public synchronized void delete(String name) {
        Optional.ofNullable(nodes.get(name))
                .ifPresent(node -> put(new Stored<>(node.name(), node.uid(), "", true, node.content())));
        Optional.ofNullable(tables.get(name))
                .ifPresent(table -> restore(new Stored<>(table.name(), table.uid(), "", true, table.content())));
    }

    private void remove(Optional<Stored<NvlinkClique>> table) {
        table.ifPresent(gone -> {
            tables.remove(gone.name());
            history.add(new Change.Table(new Stored<>(gone.name(), gone.uid(), next(), true, gone.content()), true));
        });
    }

    /** The Node of this name is ready, or not; empty takes it away. */
    public synchronized void kubernetesNode(String name, Optional<Boolean> ready) {
        ready.ifPresentOrElse(is -> kubernetesNodes.put(name, is), () -> kubernetesNodes.remove(name));
    }

    /** Lets the server answer with an object that cannot be read, or no more. */
    public synchronized void unreadable(String name, boolean now) {
        if (now) {
            unreadable.add(name);
        } else {
            unreadable.remove(name);
        }
    }

    /** The table of a clique. */
    public synchronized Optional<Stored<NvlinkClique>> table(CliqueId clique) {
        return Optional.ofNullable(tables.get(clique.text()));
    }

    /** The objects of nodes, by name. */
    public synchronized Map<String, Stored<NvlinkNode>> nodes() {
        return Map.copyOf(nodes);
    }

    /** Puts a Lease there as it stands, but for its version. */
    public synchronized Stored<LeaseContent> putLease(Stored<LeaseContent> lease) {
        var now = new Stored<>(next(lease.ref()), false, lease.content());
        leases.put(now.ref().name(), now);
        return now;
    }

    /** A fresh reference. */
    public synchronized ObjectRef ref(String namespace, String name) {
        return new ObjectRef(uid(), namespace, name, "0");
    }

    private String uid() {
        return "uid-" + ++uids;
    }

    private ObjectRef next(ObjectRef ref) {
        return new ObjectRef(ref.uid(), ref.namespace(), ref.name(), next());
    }

    private String next() {
        return Integer.toString(++revision);
    }

    /** The version of everything. */
    public synchronized int revision() {
        return revision;
    }

    /** All ComputeDomains. */
    public synchronized List<DomainObject> domains() {
        return List.copyOf(domains.values());
    }

    /** The ComputeDomain of this name. */
    public synchronized DomainObject domain(String name) {
        return domains.values().stream()
                .filter(domain -> domain.ref().name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no ComputeDomain " + name));
    }

    /** All templates. */
    public synchronized List<TemplateObject> templates() {
        return List.copyOf(templates.values());
    }

    synchronized List<TemplateObject> workloads() {
        return templates.values().stream().filter(FakeCluster::watched).toList();
    }

    /** All Leases. */
    public synchronized List<Stored<LeaseContent>> leases() {
        return List.copyOf(leases.values());
    }

    synchronized void emit(Event event) throws ApiException {
        demandLasting(event.about().namespace());
        events.add(event);
    }

    /** All Events. */
    public synchronized List<Event> events() {
        return List.copyOf(events);
    }

    synchronized Optional<DomainObject> finalizers(DomainObject observed, List<String> finalizers) throws ApiException {
        DomainObject now = current(domains, observed.ref());
        DomainObject put = put(new DomainObject(
                now.ref(),
                now.generation(),
                now.deleting(),
                finalizers,
                now.templateName(),
                now.allocationMode(),
                now.status(),
                now.placement()));
        return put.deleting() && put.finalizers().isEmpty() ? Optional.empty() : Optional.of(put);
    }

    /** From now on the server takes no conditions, or takes them. */
    public synchronized void prunes(boolean conditions) {
        prunes = conditions;
    }

    synchronized DomainObject status(DomainObject observed, DomainStatus status) throws ApiException {
        DomainObject now = current(domains, observed.ref());
        var stored =
                new DomainStatus(status.ready(), prunes ? now.status().conditions() : merged(now.status(), status));
        // A write that changes nothing makes no new version.
        return stored.equals(now.status())
                ? now
                : put(new DomainObject(
                        now.ref(),
                        now.generation(),
                        now.deleting(),
                        now.finalizers(),
                        now.templateName(),
                        now.allocationMode(),
                        stored,
                        now.placement()));
    }

    private static List<DomainCondition> merged(DomainStatus before, DomainStatus status) {
        var byType = new LinkedHashMap<String, DomainCondition>();
        before.conditions().forEach(condition -> byType.put(condition.type(), condition));
        status.conditions().forEach(condition -> byType.put(condition.type(), condition));
        return List.copyOf(byType.values());
    }

    synchronized Optional<TemplateObject> template(String namespace, String name) {
        return templates.values().stream()
                .filter(template -> template.ref().path().equals(namespace + "/" + name))
                .findFirst();
    }

    /** From now on the namespace is being deleted, and takes nothing new. */
    synchronized void endNamespace(String namespace) {
        ending.add(namespace);
    }

    /** The namespace was made again. */
    synchronized void restoreNamespace(String namespace) {
        ending.remove(namespace);
    }

    private void demandLasting(String namespace) throws ApiException {
        if (ending.contains(namespace)) {
            throw failure(ApiFailure.FailureKind.NAMESPACE_ENDING, "namespace " + namespace + " is being deleted");
        }
    }

    synchronized TemplateObject create(TemplateDraft draft) throws ApiException {
        demandLasting(draft.namespace());
        if (template(draft.namespace(), draft.name()).isPresent()) {
            throw failure(ApiFailure.FailureKind.CONFLICT, "ResourceClaimTemplate " + draft.name() + " exists");
        }
        return put(new TemplateObject(
                ref(draft.namespace(), draft.name()), false, draft.finalizers(), draft.labels(), draft.content()));
    }

    synchronized Optional<TemplateObject> mend(
            TemplateObject observed, Map<String, String> labels, List<String> finalizers) throws ApiException {
        TemplateObject now = current(templates, observed.ref());
        var all = new LinkedHashMap<>(now.labels());
        all.putAll(labels);
        TemplateObject put = put(new TemplateObject(now.ref(), now.deleting(), finalizers, all, now.content()));
        return put.deleting() && put.finalizers().isEmpty() ? Optional.empty() : Optional.of(put);
    }

    synchronized Optional<TemplateObject> delete(TemplateObject observed) throws ApiException {
        if (!templates.containsKey(observed.ref().uid())) {
            return Optional.empty();
        }
        TemplateObject now = current(templates, observed.ref());
        TemplateObject put = put(new TemplateObject(now.ref(), true, now.finalizers(), now.labels(), now.content()));
        return put.finalizers().isEmpty() ? Optional.empty() : Optional.of(put);
    }

    synchronized Stored<LeaseContent> create(String name, LeaseContent content) throws ApiException {
        if (leases.containsKey(name)) {
            throw failure(ApiFailure.FailureKind.CONFLICT, "Lease " + name + " exists");
        }
        return putLease(new Stored<>(ref("imex-agent", name), false, content));
    }

    synchronized Stored<LeaseContent> replace(Stored<LeaseContent> observed, LeaseContent content) throws ApiException {
        Stored<LeaseContent> now = leases.get(observed.ref().name());
        if (now == null) {
            throw failure(
                    ApiFailure.FailureKind.NOT_FOUND,
                    "no Lease " + observed.ref().name());
        }
        check(now.ref(), observed.ref());
        return putLease(new Stored<>(now.ref(), false, content));
    }

    /** Says in a node's object that its Node does not answer, or does; an older definition drops that. */
    synchronized Stored<NvlinkNode> mark(Stored<NvlinkNode> observed, Optional<Outage> outage) throws ApiException {
        Stored<NvlinkNode> now = current(nodes, observed);
        return put(now.with(prunes ? Optional.empty() : outage));
    }

    synchronized List<Stored<NvlinkNode>> nodesOf(CliqueId clique) throws ApiException {
        List<Stored<NvlinkNode>> listed = nodes.values().stream()
                .filter(node ->
                        node.content().guarded() && node.content().cliques().contains(clique))
                .toList();
        if (listed.stream().map(Stored::name).anyMatch(unreadable::contains)) {
            throw failure(ApiFailure.FailureKind.UNREADABLE, "cannot read all NVLinkNodes of clique " + clique);
        }
        return listed;
    }

    /** Reads a table; one that cannot be read is not the same as none. */
    public synchronized Optional<Stored<NvlinkClique>> clique(CliqueId clique) throws ApiException {
        if (unreadable.contains(clique.text())) {
            throw failure(ApiFailure.FailureKind.UNREADABLE, "cannot read NVLinkClique " + clique);
        }
        return table(clique);
    }

    synchronized Stored<NvlinkClique> create(CliqueId clique, NvlinkClique content) throws ApiException {
        if (tables.containsKey(clique.text())) {
            throw failure(ApiFailure.FailureKind.CONFLICT, "NVLinkClique " + clique + " exists");
        }
        return restore(new Stored<>(clique.text(), uid(), "", false, content));
    }

    /** Replaces a table, as controllers and agents do. */
    public synchronized Stored<NvlinkClique> replace(Stored<NvlinkClique> observed, NvlinkClique content)
            throws ApiException {
        Stored<NvlinkClique> now = current(tables, observed);
        return restore(new Stored<>(now.name(), now.uid(), "", now.deleting(), content));
    }

    synchronized Stored<NvlinkClique> beginDeletion(Stored<NvlinkClique> observed) throws ApiException {
        Stored<NvlinkClique> now = current(tables, observed);
        return restore(new Stored<>(now.name(), now.uid(), "", true, now.content()));
    }

    synchronized void endDeletion(Stored<NvlinkClique> observed) throws ApiException {
        remove(Optional.of(current(tables, observed)));
    }

    synchronized Stored<CliquePlacement> createPlacement(String namespace, String name, CliquePlacement content)
            throws ApiException {
        if (ending.contains(namespace)) {
            throw failure(ApiFailure.FailureKind.NAMESPACE_ENDING, "namespace " + namespace + " is being deleted");
        }
        if (placements.containsKey(namespace)) {
            throw failure(ApiFailure.FailureKind.CONFLICT, name + " already exists");
        }
        return putPlacement(new Stored<>(ref(namespace, name), false, content));
    }

    /** A CliquePlacement as whoever may write it has put it there. */
    public synchronized Stored<CliquePlacement> putPlacement(Stored<CliquePlacement> placement) {
        var now = new Stored<>(next(placement.ref()), placement.deleting(), placement.content());
        placements.put(now.ref().namespace(), now);
        history.add(new Change.Placement(now, false));
        return now;
    }

    synchronized Stored<CliquePlacement> replacePlacement(Stored<CliquePlacement> observed, CliquePlacement content)
            throws ApiException {
        return putPlacement(new Stored<>(currentPlacement(observed).ref(), false, content));
    }

    synchronized void removePlacement(Stored<CliquePlacement> observed) throws ApiException {
        Stored<CliquePlacement> gone = currentPlacement(observed);
        placements.remove(gone.ref().namespace());
        history.add(new Change.Placement(new Stored<>(next(gone.ref()), true, gone.content()), true));
    }

    private Stored<CliquePlacement> currentPlacement(Stored<CliquePlacement> observed) throws ApiException {
        Stored<CliquePlacement> now = placements.get(observed.ref().namespace());
        if (now == null) {
            throw failure(ApiFailure.FailureKind.NOT_FOUND, "no CliquePlacement");
        }
        if (!now.version().equals(observed.version())) {
            throw failure(ApiFailure.FailureKind.CONFLICT, "the CliquePlacement has changed");
        }
        return now;
    }

    synchronized void removeNode(Stored<NvlinkNode> observed) throws ApiException {
        Stored<NvlinkNode> gone = current(nodes, observed);
        nodes.remove(gone.name());
        history.add(new Change.Node(new Stored<>(gone.name(), gone.uid(), next(), true, gone.content()), true));
    }

    private static <T> Stored<T> current(Map<String, Stored<T>> objects, Stored<T> observed) throws ApiException {
        Stored<T> now = objects.get(observed.name());
        if (now == null) {
            throw failure(ApiFailure.FailureKind.NOT_FOUND, "no " + observed.name());
        }
        if (!now.uid().equals(observed.uid()) || !now.version().equals(observed.version())) {
            throw failure(ApiFailure.FailureKind.CONFLICT, observed.name() + " changed");
        }
        return now;
    }

    private static <T> T current(Map<String, T> objects, ObjectRef observed) throws ApiException {
        T object = objects.get(observed.uid());
        if (object == null) {
            throw failure(ApiFailure.FailureKind.NOT_FOUND, "no " + observed);
        }
        ObjectRef now = switch (object) {
            case DomainObject domain -> domain.ref();
            case TemplateObject template -> template.ref();
            default -> throw new IllegalArgumentException("neither");
        };
        check(now, observed);
        return object;
    }

    private static void check(ObjectRef now, ObjectRef observed) throws ApiException {
        if (!now.version().equals(observed.version()) || !now.uid().equals(observed.uid())) {
            throw failure(ApiFailure.FailureKind.CONFLICT, observed + " changed");
        }
    }

    static ApiException failure(ApiFailure.FailureKind kind, String message) {
        return new ApiException(new ApiFailure(kind, message, Optional.empty()));
    }
}
