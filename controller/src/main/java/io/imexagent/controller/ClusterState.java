package io.imexagent.controller;

import io.imexagent.controller.DomainPlanner.DomainView;
import io.imexagent.controller.Known.Index;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What the controller knows. Every change names the work that it concerns, also of what is gone. Thread-safe. */
public final class ClusterState {

    private final Consumer<Work> concerned;
    private long fabricChanges;
    final Known<DomainObject> domains = new Known<>(this, DomainObject::ref, this::domainChanged);
    final Known<TemplateObject> templates = new Known<>(this, TemplateObject::ref, this::templateChanged);
    final Known<Stored<NvlinkNode>> nodes = new Known<>(this, Stored::ref, this::nodeChanged);
    final Known<Stored<NvlinkClique>> tables = new Known<>(this, Stored::ref, this::tableChanged);
    private final Index<DomainObject> domainsByTemplate = domains.by(domain -> List.of(templatePath(domain)));
    private final Index<TemplateObject> templatesByPath =
            templates.by(template -> List.of(template.ref().path()));
    private final Index<TemplateObject> templatesByDomain = templates.by(ClusterState::labelled);
    private final Index<Stored<NvlinkNode>> nodesByName = nodes.by(node -> List.of(node.name()));
    private final Index<Stored<NvlinkNode>> nodesByClique = nodes.by(ClusterState::cliques);
    private final Index<Stored<NvlinkNode>> nodesByDomain = nodes.by(ClusterState::held);
    private final Index<Stored<NvlinkClique>> tablesByName = tables.by(table -> List.of(table.name()));
    private final Index<Stored<NvlinkClique>> tablesByDomain = tables.by(ClusterState::bound);

    /** Nothing known yet; {@code concerned} is called often, and must not block. */
    public ClusterState(Consumer<Work> concerned) {
        this.concerned = concerned;
    }

    private static List<String> cliques(Stored<NvlinkNode> node) {
        return node.content().cliques().stream().map(CliqueId::text).toList();
    }

    private static List<String> uids(Stream<ComputeDomainUid> domains) {
        return domains.map(ComputeDomainUid::value).toList();
    }

    public void watch(ControlPlane cluster) {
        cluster.watch(domains::told, templates::told, nodes::told, tables::told);
    }

    /** Whether ComputeDomains and templates have been listed; before, nothing may be decided. */
    public synchronized boolean listed() {
        return domains.listed() && templates.listed();
    }

    /** Whether the fabric's nodes and tables have been listed; before, nothing may be decided of them. */
    public synchronized boolean fabricListed() {
        return nodes.listed() && tables.listed();
    }

    /** How often a node or a table of the fabric has changed. */
    synchronized long fabricChanges() {
        return fabricChanges;
    }

    synchronized List<Work> everything() {
        Set<Work> all = new LinkedHashSet<>();
        domains.all().forEach(domain -> all.add(new Work.Domain(domain.ref().uid())));
        templatesByDomain.keys().forEach(uid -> all.add(new Work.Domain(uid)));
        cliques().forEach(clique -> all.add(new Work.Clique(clique)));
        nodes.all().stream().filter(Stored::deleting).forEach(node -> all.add(new Work.Node(node.name())));
        return List.copyOf(all);
    }

    /** What is known about a ComputeDomain. Templates of other namespaces are another tenant's word: they do not count. */
    synchronized Optional<DomainView> view(String uid) {
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
                        conflicts(uid)));
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

    /** The clique of a table; empty where somebody has given it a name that is none. */
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

    synchronized List<Conflict> conflicts(CliqueId clique) {
        return table(clique).stream()
                .flatMap(table -> table.content().table().conflicts(nodesOf(clique)).stream())
                .map(found -> new Conflict(clique, found.owner(), found.user()))
                .toList();
    }

    private List<Conflict> conflicts(String uid) {
        return cliquesOf(uid).stream()
                .flatMap(clique -> conflicts(clique).stream())
                .filter(conflict -> conflict.domains().contains(uid))
                .toList();
    }

    /** The cliques in which a ComputeDomain has a channel, or nodes that hold it. */
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

    synchronized List<String> holders(String uid) {
        return nodesByDomain.get(uid).stream().map(Stored::name).toList();
    }

    private static String templatePath(DomainObject domain) {
        return domain.ref().namespace() + "/" + domain.templateName();
    }

    private void domainChanged(Optional<DomainObject> before, Optional<DomainObject> now) {
        both(before, now).forEach(domain -> concerned(domain.ref().uid()));
    }

    private void templateChanged(Optional<TemplateObject> before, Optional<TemplateObject> now) {
        for (TemplateObject template : both(before, now)) {
            labelled(template).forEach(this::concerned);
            domainsByTemplate
                    .get(template.ref().path())
                    .forEach(domain -> concerned(domain.ref().uid()));
        }
    }

    private void nodeChanged(Optional<Stored<NvlinkNode>> before, Optional<Stored<NvlinkNode>> now) {
        fabricChanges++;
        var touched = new TreeSet<CliqueId>();
        both(before, now).forEach(node -> touched.addAll(node.content().cliques()));
        touched.forEach(clique -> concerned.accept(new Work.Clique(clique)));
        now.filter(Stored::deleting).ifPresent(node -> concerned.accept(new Work.Node(node.name())));
        Set<String> gone = before.map(ClusterState::held).orElseGet(HashSet::new);
        now.map(ClusterState::held).ifPresent(gone::removeAll);
        gone.stream()
                .filter(uid -> domains.get(uid)
                        .filter(domain -> StatusWriter.degradedBy(domain, StatusWriter.NODES_LOST))
                        .isPresent())
                .forEach(this::concerned);
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
                .ifPresent(clique -> concerned.accept(new Work.Clique(clique)));
        Set<String> old = before.map(ClusterState::bound).orElseGet(Set::of);
        Set<String> present = now.map(ClusterState::bound).orElseGet(Set::of);
        // Whether a ComputeDomain has a channel may have changed.
        Stream.concat(
                        old.stream().filter(uid -> !present.contains(uid)),
                        present.stream().filter(uid -> !old.contains(uid)))
                .filter(uid -> domains.get(uid).isPresent())
                .forEach(this::concerned);
    }

    private void concerned(String uid) {
        concerned.accept(new Work.Domain(uid));
    }

    private static Collection<String> labelled(TemplateObject template) {
        return Optional.ofNullable(template.labels().get(DriverNames.COMPUTE_DOMAIN)).stream()
                .toList();
    }

    private static <T> List<T> both(Optional<T> before, Optional<T> now) {
        return Stream.concat(before.stream(), now.stream()).toList();
    }
}
