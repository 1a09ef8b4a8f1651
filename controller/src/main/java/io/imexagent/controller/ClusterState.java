package io.imexagent.controller;

import io.imexagent.controller.DomainPlanner.DomainView;
import io.imexagent.controller.ObjectCache.Index;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.CliquePlacement;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.ProvenPairs;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The state of the cluster as the controller has it. Every change, deletions included, queues the work that depends on
 * it. Thread-safe.
 */
public final class ClusterState {

    private final Consumer<ReconcileKey> concerned;
    private long fabricChanges;
    /** The number of the fabric's change in which each node's running agent first appeared, by the node's name. */
    private final Map<String, Long> startedAt = new HashMap<>();

    final ObjectCache<DomainObject> domains = new ObjectCache<>(this, DomainObject::ref, this::domainChanged);
    final ObjectCache<TemplateObject> templates = new ObjectCache<>(this, TemplateObject::ref, this::templateChanged);
    final ObjectCache<Stored<NvlinkNode>> nodes = new ObjectCache<>(this, Stored::ref, this::nodeChanged);
    final ObjectCache<Stored<NvlinkClique>> tables = new ObjectCache<>(this, Stored::ref, this::tableChanged);
    final ObjectCache<Stored<FabricTest>> tests = new ObjectCache<>(this, Stored::ref, this::testChanged);
    final ObjectCache<Stored<CliquePlacement>> placements =
            new ObjectCache<>(this, Stored::ref, this::placementChanged);
    private final Index<DomainObject> domainsByNamespace =
            domains.by(domain -> List.of(domain.ref().namespace()));
    private final Index<DomainObject> domainsByTemplate = domains.by(domain -> List.of(templatePath(domain)));
    private final Index<TemplateObject> templatesByPath =
            templates.by(template -> List.of(template.ref().path()));
    private final Index<TemplateObject> templatesByDomain = templates.by(ClusterState::labelled);
    private final Index<Stored<NvlinkNode>> nodesByName = nodes.by(node -> List.of(node.name()));
    private final Index<Stored<NvlinkNode>> nodesByClique = nodes.by(ClusterState::cliques);
    private final Index<Stored<NvlinkNode>> nodesByDomain = nodes.by(ClusterState::held);
    private final Index<Stored<NvlinkNode>> nodesByMode = nodes.by(ClusterState::mode);
    private final Index<Stored<NvlinkClique>> tablesByName = tables.by(table -> List.of(table.name()));
    private final Index<Stored<FabricTest>> testsByName = tests.by(test -> List.of(test.name()));
    private final Index<Stored<CliquePlacement>> placementsByNamespace =
            placements.by(placement -> List.of(placement.ref().namespace()));
    private volatile Supplier<Optional<ApiFailure>> testsFailure = Optional::empty;
    private volatile Supplier<Optional<ApiFailure>> placementsFailure = Optional::empty;
    private final Index<Stored<NvlinkClique>> tablesByDomain = tables.by(ClusterState::bound);

    /** Makes an empty state; {@code concerned} is called often, and must not block. */
    public ClusterState(Consumer<ReconcileKey> concerned) {
        this.concerned = concerned;
    }

    private static List<String> cliques(Stored<NvlinkNode> node) {
        return node.content().cliques().stream().map(CliqueId::text).toList();
    }

    private static List<String> uids(Stream<ComputeDomainUid> domains) {
        return domains.map(ComputeDomainUid::value).toList();
    }

    public void watch(ControlPlane cluster) {
        cluster.watch(domains::apply, templates::apply, nodes::apply, tables::apply);
        testsFailure = cluster.watchTests(tests::apply);
        placementsFailure = cluster.watchPlacements(placements::apply);
    }

    /**
     * Whether the results of the fabric test have been listed, or their watch has failed: a cluster may lack the
     * definition.
     */
    public boolean testsSettled() {
        return tests.listed() || testsFailure.get().isPresent();
    }

    /** Whether the CliquePlacements have been listed, or their watch has failed: a cluster may lack the definition. */
    public boolean placementsSettled() {
        return placements.listed() || placementsFailure.get().isPresent();
    }

    /** Why the CliquePlacements cannot be watched; empty if the watch works or is starting. */
    Optional<ApiFailure> placementsFailure() {
        return placementsFailure.get();
    }

    /** The CliquePlacement that the policy reads in a namespace; empty if the namespace has none. */
    synchronized Optional<Stored<CliquePlacement>> placement(String namespace) {
        return placementsByNamespace.get(namespace).stream()
                .filter(placement -> placement.name().equals(CliquePlacement.NAME))
                .findFirst();
    }

    /** The content of a namespace's CliquePlacement if this is the configured mode. */
    synchronized PlacementPlan placementPlan(String namespace, PlacementMode mode) {
        return PlacementPlan.of(domainsByNamespace.get(namespace), this::owns, mode);
    }

    /** Whether any pods may have to be kept in one clique if this is the configured mode. */
    synchronized boolean places(PlacementMode mode) {
        return mode != PlacementMode.OFF || !placements.all().isEmpty();
    }

    /** The UIDs of the ComputeDomains for which the CliquePlacement of their namespace has no room. */
    synchronized Set<String> unplaced(PlacementMode mode) {
        return domainsByNamespace.keys().stream()
                .flatMap(namespace -> placementPlan(namespace, mode).left().stream())
                .map(domain -> domain.ref().uid())
                .collect(Collectors.toSet());
    }

    /** Whether the label of the template that a ComputeDomain names shows it as the owner. */
    private boolean owns(DomainObject domain) {
        return templatesByPath.get(templatePath(domain)).stream()
                .anyMatch(template -> labelled(template).contains(domain.ref().uid()));
    }

    private void placementChanged(Optional<Stored<CliquePlacement>> before, Optional<Stored<CliquePlacement>> now) {
        now.or(() -> before).ifPresent(placement -> placed(placement.ref().namespace()));
    }

    private void placed(String namespace) {
        concerned.accept(new ReconcileKey.PlacementKey(namespace));
    }

    /** The recorded results of the fabric test in a clique; empty before the results have been listed. */
    synchronized Optional<FabricTest> test(CliqueId clique) {
        return tests.listed()
                ? Optional.of(testsByName.get(clique.text()).stream()
                        .findFirst()
                        .map(Stored::content)
                        .orElse(FabricTest.NONE))
                : Optional.empty();
    }

    /** The number of recorded runs that are neither too old at this time nor from the future. */
    synchronized long countingRuns(Instant now) {
        return tests.all().stream()
                .flatMap(test -> test.content().runs().stream())
                .filter(run -> ProvenPairs.outdated(run, now).isEmpty())
                .count();
    }

    private void testChanged(Optional<Stored<FabricTest>> before, Optional<Stored<FabricTest>> now) {
        fabricChanges++;
    }

    /** Whether ComputeDomains and templates have been listed; nothing may be decided before that. */
    public synchronized boolean listed() {
        return domains.listed() && templates.listed();
    }

    /** Whether the fabric's nodes and tables have been listed; nothing may be decided about them before that. */
    public synchronized boolean fabricListed() {
        return nodes.listed() && tables.listed();
    }

    /** The number of changes of the fabric's nodes, tables and test results so far. */
    synchronized long fabricChanges() {
        return fabricChanges;
    }

    synchronized List<ReconcileKey> everything() {
        Set<ReconcileKey> all = new LinkedHashSet<>();
        domains.all()
                .forEach(domain ->
                        all.add(new ReconcileKey.DomainKey(domain.ref().uid())));
        templatesByDomain.keys().forEach(uid -> all.add(new ReconcileKey.DomainKey(uid)));
        Stream.of(domainsByNamespace.keys(), placementsByNamespace.keys())
                .flatMap(Set::stream)
                .forEach(namespace -> all.add(new ReconcileKey.PlacementKey(namespace)));
        cliques().forEach(clique -> all.add(new ReconcileKey.CliqueKey(clique)));
        nodes.all().stream().filter(Stored::deleting).forEach(node -> all.add(new ReconcileKey.NodeKey(node.name())));
        return List.copyOf(all);
    }

    /**
     * The state of a ComputeDomain for a controller of this mode. Templates of other namespaces do not count, since
     * other tenants write them.
     */
    synchronized Optional<DomainView> view(String uid, NodeMode own) {
        return domains.get(uid)
                .map(domain -> new DomainView(
                        domain,
                        templatesByPath.get(templatePath(domain)).stream().findFirst(),
                        false,
                        templatesByDomain.get(uid).stream()
                                .filter(template -> domain.ref()
                                        .namespace()
                                        .equals(template.ref().namespace()))
                                .toList(),
                        conflicts(uid),
                        fabricListed() ? use(uid, own) : DomainUse.UNKNOWN));
    }

    private DomainUse use(String uid, NodeMode own) {
        List<Stored<NvlinkNode>> holders = nodesByDomain.get(uid);
        Set<CliqueId> in = new TreeSet<>();
        holders.forEach(node -> in.addAll(node.content().cliques()));
        List<CliqueId> shared =
                in.stream().filter(clique -> sharing(clique).contains(uid)).toList();
        boolean differs = holders.isEmpty()
                ? !nodesByMode.keys().contains(own.text())
                        && !nodesByMode.keys().isEmpty()
                : in.stream().flatMap(clique -> nodesOf(clique).stream()).anyMatch(node -> differs(node, own));
        return new DomainUse(true, !holders.isEmpty(), shared, differs);
    }

    /** The isolation of the controller by the conditions of most ComputeDomains; empty if no condition states one. */
    public synchronized Optional<Isolation> ofController() {
        return domains.all().stream()
                .flatMap(domain -> StatusWriter.isolation(domain).stream())
                .collect(Collectors.groupingBy(isolation -> isolation, Collectors.counting()))
                .entrySet()
                .stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey);
    }

    /** The isolation of the cluster: IMEXChannel if there are tables, otherwise that of most serving nodes. */
    public synchronized Optional<Isolation> isolation() {
        return tables.all().isEmpty()
                ? Stream.of(Isolation.values())
                        .filter(isolation -> serving(isolation) > 0)
                        .max(Comparator.comparingInt(this::serving))
                : Optional.of(Isolation.IMEX_CHANNEL);
    }

    private int serving(Isolation isolation) {
        return nodesByMode.count(new NodeMode.ChannelMode(isolation).text());
    }

    /** Whether the node's agent reports another mode; an older agent reports none. */
    static boolean differs(Stored<NvlinkNode> node, NodeMode own) {
        return node.content().status().mode().filter(mode -> !mode.equals(own)).isPresent();
    }

    /** The ComputeDomains that use channel 0 of a clique at the same time, by UID; empty if at most one does. */
    synchronized Set<String> sharing(CliqueId clique) {
        Set<String> all = new TreeSet<>();
        nodesOf(clique)
                .forEach(node -> node.content()
                        .sharing(clique)
                        .forEach(domain -> all.add(domain.uid().value())));
        return all.size() > 1 ? all : Set.of();
    }

    synchronized List<TemplateObject> labelled(String uid) {
        return templatesByDomain.get(uid);
    }

    /** All cliques that a node or a table names. */
    public synchronized Set<CliqueId> cliques() {
        var all = new TreeSet<CliqueId>();
        nodes.all().forEach(node -> all.addAll(node.content().cliques()));
        tables.all().forEach(table -> clique(table).ifPresent(all::add));
        return all;
    }

    /** The clique of a table; empty if the table's name is not that of a clique. */
    private static Optional<CliqueId> clique(Stored<NvlinkClique> table) {
        try {
            return Optional.of(new CliqueId(table.name()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    public synchronized Optional<Stored<NvlinkClique>> table(CliqueId clique) {
        return tablesByName.get(clique.text()).stream().findFirst();
    }

    synchronized List<Stored<NvlinkNode>> nodesOf(CliqueId clique) {
        return nodesByClique.get(clique.text());
    }

    synchronized Optional<Stored<NvlinkNode>> node(String name) {
        return nodesByName.get(name).stream().findFirst();
    }

    synchronized List<ChannelConflict> conflicts(CliqueId clique) {
        return table(clique).stream()
                .flatMap(table -> table.content().table().conflicts(nodesOf(clique)).stream())
                .map(found -> new ChannelConflict(clique, found, found.text(clique, this::name)))
                .toList();
    }

    /**
     * The name of a ComputeDomain for people. A deleted one is shown with its UID, since a node that lost its object
     * may have guessed the name.
     */
    private String name(DomainName domain) {
        String uid = domain.uid().value();
        return domains.get(uid)
                .map(known -> known.ref().path())
                .orElseGet(() -> !domains.listed()
                        ? domain.toString()
                        : (domain.name().equals(uid) ? "" : domain + " ") + "(deleted, UID " + uid + ")");
    }

    private List<ChannelConflict> conflicts(String uid) {
        return cliquesOf(uid).stream()
                .flatMap(clique -> conflicts(clique).stream())
                .filter(conflict -> conflict.domains().contains(uid))
                .toList();
    }

    /** The cliques in which a ComputeDomain has a channel, or in which nodes hold the ComputeDomain. */
    synchronized Set<CliqueId> cliquesOf(String uid) {
        var all = new TreeSet<CliqueId>();
        tablesByDomain.get(uid).forEach(table -> clique(table).ifPresent(all::add));
        nodesByDomain.get(uid).forEach(node -> all.addAll(node.content().cliques()));
        return all;
    }

    /** Whether a table has a channel for a ComputeDomain. */
    synchronized boolean bound(String uid) {
        return !tablesByDomain.get(uid).isEmpty();
    }

    /** The nodes that hold a ComputeDomain's own channel. */
    synchronized List<String> holders(String uid) {
        return nodesByDomain.get(uid).stream()
                .filter(node -> node.content().holds().values().stream()
                        .anyMatch(hold ->
                                hold.binds() && hold.domain().uid().value().equals(uid)))
                .map(Stored::name)
                .toList();
    }

    private static String templatePath(DomainObject domain) {
        return domain.ref().namespace() + "/" + domain.templateName();
    }

    private void domainChanged(Optional<DomainObject> before, Optional<DomainObject> now) {
        both(before, now).forEach(domain -> concerned(domain.ref().uid()));
        if (!before.map(ClusterState::placing).equals(now.map(ClusterState::placing))) {
            now.or(() -> before).ifPresent(domain -> placed(domain.ref().namespace()));
        }
    }

    private void templateChanged(Optional<TemplateObject> before, Optional<TemplateObject> now) {
        for (TemplateObject template : both(before, now)) {
            labelled(template).forEach(this::concerned);
            List<DomainObject> naming = domainsByTemplate.get(template.ref().path());
            naming.forEach(domain -> concerned(domain.ref().uid()));
            if (naming.size() > 1) {
                // The pods of the template may now belong to another of the ComputeDomains that name it.
                placed(template.ref().namespace());
            }
        }
    }

    /** The parts of a ComputeDomain that decide about the placement of its pods. */
    private static Object placing(DomainObject domain) {
        return List.of(domain.placement(), domain.deleting(), domain.templateName());
    }

    private void nodeChanged(Optional<Stored<NvlinkNode>> before, Optional<Stored<NvlinkNode>> now) {
        fabricChanges++;
        begin(before, now);
        var touched = new TreeSet<CliqueId>();
        both(before, now).forEach(node -> touched.addAll(node.content().cliques()));
        touched.forEach(clique -> concerned.accept(new ReconcileKey.CliqueKey(clique)));
        now.filter(Stored::deleting).ifPresent(node -> concerned.accept(new ReconcileKey.NodeKey(node.name())));
        Set<String> changed = before.map(ClusterState::held).orElseGet(HashSet::new);
        for (String uid : now.map(ClusterState::held).orElseGet(HashSet::new)) {
            if (!changed.remove(uid)) {
                changed.add(uid);
            }
        }
        if (!before.map(ClusterState::place).equals(now.map(ClusterState::place))) {
            touched.forEach(clique -> nodesOf(clique).forEach(node -> changed.addAll(held(node))));
        }
        changed.stream().filter(uid -> domains.get(uid).isPresent()).forEach(this::concerned);
        Set<String> modes = new HashSet<>();
        both(before, now).forEach(node -> modes.addAll(mode(node)));
        // The first node with a mode, or the last one, may change the conditions of ComputeDomains that no node holds.
        boolean kinds = !before.map(ClusterState::mode).equals(now.map(ClusterState::mode))
                && modes.stream().anyMatch(mode -> nodesByMode.count(mode) <= 1);
        if (kinds) {
            domains.all().forEach(domain -> concerned(domain.ref().uid()));
        }
    }

    private void begin(Optional<Stored<NvlinkNode>> before, Optional<Stored<NvlinkNode>> now) {
        before.filter(gone -> now.isEmpty()).ifPresent(gone -> startedAt.remove(gone.name()));
        now.filter(node -> before.filter(earlier -> earlier.content()
                                .session()
                                .equals(node.content().session()))
                        .isEmpty())
                .ifPresent(node -> startedAt.put(node.name(), fabricChanges));
    }

    /** Whether a node's agent started after the Nodes were listed, so that its Node may be newer than the list, too. */
    synchronized boolean newerThan(NodeListing listing, String node) {
        return startedAt.getOrDefault(node, 0L) > listing.asOf();
    }

    /** The deleted ComputeDomains that a table or a node still names. */
    synchronized List<DomainName> leftDomains() {
        Map<ComputeDomainUid, DomainName> left = new TreeMap<>();
        Stream.concat(
                        tables.all().stream()
                                .flatMap(table -> table.content().table().entries().values().stream()
                                        .map(ChannelEntry::domain)),
                        nodes.all().stream()
                                .flatMap(node ->
                                        node.content().holds().values().stream().map(Hold::domain)))
                .filter(domain -> domains.get(domain.uid().value()).isEmpty())
                .forEach(domain -> left.putIfAbsent(domain.uid(), domain));
        return List.copyOf(left.values());
    }

    /** The cliques of a node, and the mode of its agent. */
    private static Object place(Stored<NvlinkNode> node) {
        return List.of(node.content().cliques(), mode(node));
    }

    private static List<String> mode(Stored<NvlinkNode> node) {
        return node.content().status().mode().map(NodeMode::text).stream().toList();
    }

    private static Set<String> held(Stored<NvlinkNode> node) {
        return new HashSet<>(uids(node.content().holds().keySet().stream()));
    }

    private static Set<String> bound(Stored<NvlinkClique> table) {
        return new HashSet<>(uids(table.content().table().entries().values().stream()
                .map(entry -> entry.domain().uid())));
    }

    private void tableChanged(Optional<Stored<NvlinkClique>> before, Optional<Stored<NvlinkClique>> now) {
        fabricChanges++;
        now.or(() -> before)
                .flatMap(ClusterState::clique)
                .ifPresent(clique -> concerned.accept(new ReconcileKey.CliqueKey(clique)));
        Set<String> old = before.map(ClusterState::bound).orElseGet(Set::of);
        Set<String> present = now.map(ClusterState::bound).orElseGet(Set::of);
        // The ComputeDomain may have got its first channel, or lost its last one.
        Stream.concat(
                        old.stream().filter(uid -> !present.contains(uid)),
                        present.stream().filter(uid -> !old.contains(uid)))
                .filter(uid -> domains.get(uid).isPresent())
                .forEach(this::concerned);
    }

    private void concerned(String uid) {
        concerned.accept(new ReconcileKey.DomainKey(uid));
    }

    private static Collection<String> labelled(TemplateObject template) {
        return Optional.ofNullable(template.labels().get(DriverNames.COMPUTE_DOMAIN)).stream()
                .toList();
    }

    private static <T> List<T> both(Optional<T> before, Optional<T> now) {
        return Stream.concat(before.stream(), now.stream()).toList();
    }
}
