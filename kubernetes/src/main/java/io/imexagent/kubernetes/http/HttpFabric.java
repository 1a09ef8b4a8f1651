package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.NodesFile;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import io.imexagent.kubernetes.Outage;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.AgentReport;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.ListedNode;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.UnreadableException;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * NVLinkNodes, NVLinkCliques and FabricTests as JSON. An invalid hold, clique or table entry makes its object
 * unreadable: if it were left out, the next write would lose it. Any other invalid field counts as missing.
 */
final class HttpFabric implements FabricObjects {

    private static final String LABELS = "metadata.labels";
    private static final String ASSIGNED = "Assigned";
    private static final String RELEASING = "Releasing";
    private static final String OBSERVING = "Observing";
    private static final String SERVING = "Serving";

    /** In bytes, room for 2,048 channels with the longest possible names. */
    private static final int LARGEST = 4 << 20;

    private static final int LONGEST_LINKS = NodeLinks.MOST * (NodeLinks.LONGEST + 1);

    static final Decoder<Stored<NvlinkNode>> NODE = new Decoder<>(
            FieldSelection.ofObject(
                            "metadata.labels.*",
                            "spec.session,write,cliques[],bootID,imexChannelCount",
                            "spec.holds[].computeDomain,namespace,name,channel,kept",
                            "status.mode,isolation,clique,driver,gpus,imex,imexSince,imexStart,peers,node,nodeSince",
                            "status.connections.address,connected,degraded,lost,unknown",
                            "status.agent.version,gpus,product,findings,xidsSince,xids",
                            "status.nodesFile.digest,count,own,changed,lines,addresses")
                    .longest(NodesFile.LONGEST, "status.nodesFile.lines")
                    .longest(AgentReport.LONGEST_FINDINGS, "status.agent.findings")
                    .longest(LONGEST_LINKS, "status.connections.connected")
                    .longest(LONGEST_LINKS, "status.connections.degraded")
                    .longest(LONGEST_LINKS, "status.connections.lost")
                    .longest(LONGEST_LINKS, "status.connections.unknown")
                    .room(LARGEST),
            node -> node.stored(node(node)).with(outage(node)));

    static final Decoder<Stored<NvlinkClique>> CLIQUE = new Decoder<>(
            FieldSelection.ofObject("spec.limit,limitedBy", "spec.channels[].id,computeDomain,namespace,name,by,state")
                    .room(LARGEST),
            clique -> clique.stored(clique(clique)));

    private final Reflectors reflectors;
    private final RateLimiter watches;
    private final Resource<Stored<NvlinkNode>> nodes;
    private final Resource<Stored<NvlinkClique>> cliques;
    private final Resource<Stored<FabricTest>> tests;
    private final Resource<Map.Entry<String, ListedNode>> kubernetesNodes;

    /** {@code calls} limits single calls, {@code watches} lists and watches. */
    HttpFabric(Transport transport, Reflectors reflectors, RateLimiter calls, RateLimiter watches) {
        this.reflectors = reflectors;
        this.watches = watches;
        this.nodes = new Resource<>(transport, calls, Resource.FABRIC, "NVLinkNode", NODE);
        this.cliques = new Resource<>(transport, calls, Resource.FABRIC, "NVLinkClique", CLIQUE);
        this.tests = new Resource<>(transport, calls, Resource.FABRIC, "FabricTest", HttpFabricTests.TEST);
        this.kubernetesNodes = new Resource<>(transport, calls, Resource.CORE, "Node", readiness(Optional.empty()));
    }

    @Override
    public StoredObjects<NvlinkNode> nodes() {
        return new HttpStoredObjects<>(nodes, "", HttpFabric::written);
    }

    @Override
    public StoredObjects<NvlinkClique> cliques() {
        return new HttpStoredObjects<>(cliques, "", HttpFabric::written);
    }

    @Override
    public StoredObjects<FabricTest> tests() {
        return new HttpStoredObjects<>(tests, "", HttpFabricTests::written);
    }

    @Override
    public void watch(String name, Consumer<Optional<Stored<NvlinkNode>>> listener) {
        Reflector<Stored<NvlinkNode>> reflector = reflectors.of(Collection.selected(
                nodes.under(watches), "NVLinkNode " + name, "fieldSelector", "metadata.name=" + name));
        reflector.start(news -> listener.accept(reflector.all().stream().findFirst()));
    }

    void watch(
            Consumer<WatchUpdate<Stored<NvlinkNode>>> ofNodes, Consumer<WatchUpdate<Stored<NvlinkClique>>> ofCliques) {
        reflectors.of(Collection.everywhere(nodes.under(watches))).start(ofNodes);
        reflectors.of(Collection.everywhere(cliques.under(watches))).start(ofCliques);
    }

    /**
     * Watches the results of the fabric test. The returned reflector has the failure if the cluster lacks their
     * definition.
     */
    Reflector<Stored<FabricTest>> watchTests(Consumer<WatchUpdate<Stored<FabricTest>>> listener) {
        Reflector<Stored<FabricTest>> reflector = reflectors.optional(Collection.everywhere(tests.under(watches)));
        reflector.start(listener);
        return reflector;
    }

    @Override
    public List<Stored<NvlinkNode>> nodesOf(CliqueId clique) throws ApiException {
        return Collection.selected(
                        nodes, "NVLinkNodes of clique " + clique, "labelSelector", FabricObjects.label(clique))
                .all();
    }

    @Override
    public Stored<NvlinkNode> mark(Stored<NvlinkNode> observed, Optional<Outage> outage) throws ApiException {
        ObjectNode patch = JsonTrees.object();
        outage.ifPresentOrElse(
                now -> write(patch, now),
                () -> patch.putObject("status").putNull("node").putNull("nodeSince"));
        return nodes.patch(observed.ref(), "", patch);
    }

    private static void write(ObjectNode object, Outage outage) {
        object.withObject("/status")
                .put("node", outage.state().text())
                .put("nodeSince", outage.since().toString());
    }

    private static Optional<Outage> outage(FieldValues node) {
        Optional<Instant> since = possible(node, "status.nodeSince", Instant::parse);
        return Outage.OutageState.of(node.text("status.node")).flatMap(state -> since.map(at -> new Outage(state, at)));
    }

    @Override
    public Map<String, ListedNode> kubernetesNodes(Optional<String> label) throws ApiException {
        return Collection.everywhere(kubernetesNodes.reading(readiness(label))).list().objects().all().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (one, later) -> later));
    }

    @Override
    public boolean nodeExists(String name) throws ApiException {
        return kubernetesNodes.reading(Decoder.ANY).get("", name).isPresent();
    }

    /** Reads a Node's name, its readiness, and its value of this label; a value that is too long counts as missing. */
    static Decoder<Map.Entry<String, ListedNode>> readiness(Optional<String> label) {
        FieldSelection fields = FieldSelection.of("metadata.name", "status.conditions[].type,status");
        label.ifPresent(name -> fields.note(LABELS, name));
        return new Decoder<>(
                fields,
                node -> Map.entry(
                        node.required("metadata.name"),
                        new ListedNode(
                                node.each("status.conditions").stream()
                                        .anyMatch(condition -> condition
                                                        .text("type")
                                                        .equals("Ready")
                                                && condition.text("status").equals("True")),
                                label.map(name -> node.text(LABELS + "." + name))
                                        .orElse("")
                                        .intern())),
                listed -> 1 << 10);
    }

    private static NvlinkNode node(FieldValues node) throws IOException {
        int channels = node.whole("spec.imexChannelCount", -1);
        var cliques = new TreeSet<CliqueId>();
        node.texts("spec.cliques").forEach(clique -> cliques.add(new CliqueId(clique)));
        return new NvlinkNode(
                node.text("spec.session"),
                node.whole("spec.write").orElse(0),
                cliques,
                possible(node, "spec.bootID", BootId::new),
                channels >= 0 ? OptionalInt.of(channels) : OptionalInt.empty(),
                NvlinkNode.byDomain(node.each("spec.holds", HttpFabric::hold)),
                new NodeStatus(
                        possible(node, "status.clique", CliqueId::new),
                        node.given("status.driver"),
                        node.whole("status.gpus", 0),
                        node.given("status.imex"),
                        possible(node, "status.imexSince", Instant::parse),
                        node.given("status.peers"),
                        links(node),
                        mode(node),
                        node.whole("status.imexStart"),
                        nodesFile(node),
                        agent(node)),
                node.finalizers().contains(FabricObjects.NODE_FINALIZER)
                        && node.map(LABELS).equals(labels(cliques)));
    }

    /** Parses a field on which no hold depends; empty if it is missing or invalid. */
    private static <T> Optional<T> possible(FieldValues node, String field, Function<String, T> parse) {
        try {
            return node.given(field).map(parse);
        } catch (IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Hold hold(FieldValues hold) throws UnreadableException {
        return new Hold(
                domain(hold),
                hold.has("channel") ? Optional.of(new ChannelId(hold.whole("channel", -1))) : Optional.empty(),
                hold.isTrue("kept"));
    }

    /** Reads the mode; empty also for the words of a later version. */
    private static Optional<NodeMode> mode(FieldValues node) {
        return switch (node.text("status.mode")) {
            case OBSERVING -> Optional.of(new NodeMode.ObservingMode());
            case SERVING ->
                Stream.of(Isolation.values())
                        .filter(isolation -> isolation.text().equals(node.text("status.isolation")))
                        .findFirst()
                        .map(NodeMode.ChannelMode::new);
            default -> Optional.empty();
        };
    }

    private static Optional<NodeLinks> links(FieldValues node) {
        String at = "status.connections.";
        return node.given(at + "address")
                .map(address -> new NodeLinks(
                        address,
                        node.text(at + LinkState.CONNECTED.text()),
                        node.text(at + LinkState.DEGRADED.text()),
                        node.text(at + LinkState.LOST.text()),
                        node.text(at + LinkState.UNKNOWN.text())));
    }

    /**
     * Reads the file of nodes. Equal texts of many nodes are in memory once; they are compared as texts, since another
     * file could claim the same digest.
     */
    private static Optional<NodesFile> nodesFile(FieldValues node) {
        String at = "status.nodesFile.";
        int own = node.whole(at + "own", -1);
        return possible(
                node,
                at + "digest",
                digest -> new NodesFile(
                        digest.intern(),
                        node.whole(at + "count", 0),
                        own < 0 ? OptionalInt.empty() : OptionalInt.of(own),
                        node.isTrue(at + "changed"),
                        node.text(at + "lines").intern(),
                        node.text(at + "addresses")));
    }

    /** Reads the agent's report. Equal texts of many nodes are in memory once. */
    private static Optional<AgentReport> agent(FieldValues node) {
        String at = "status.agent.";
        return node.given(at + "version")
                .map(version -> new AgentReport(
                        version.intern(),
                        node.whole(at + "gpus", 0),
                        node.text(at + "product").intern(),
                        node.text(at + "findings").intern(),
                        possible(node, at + "xidsSince", Instant::parse),
                        node.text(at + "xids").intern()));
    }

    private static Map<String, String> labels(Set<CliqueId> cliques) {
        return cliques.stream().collect(Collectors.toMap(FabricObjects::label, clique -> ""));
    }

    private static NvlinkClique clique(FieldValues clique) throws IOException {
        if (!clique.has("spec.channels")) {
            throw new UnreadableException("no spec.channels");
        }
        ChannelTable table = ChannelTable.of(clique.each(
                "spec.channels",
                entry -> new ChannelEntry(
                        new ChannelId(entry.whole("id", -1)),
                        domain(entry),
                        entry.required("by"),
                        state(entry.text("state")))));
        if (table.entries().size() < clique.count("spec.channels")) {
            throw new UnreadableException("spec.channels has a channel twice");
        }
        return new NvlinkClique(clique.whole("spec.limit", 0), clique.given("spec.limitedBy"), table);
    }

    private static DomainName domain(FieldValues part) throws UnreadableException {
        return new DomainName(
                new ComputeDomainUid(part.required("computeDomain")),
                part.required("namespace"),
                part.required("name"));
    }

    private static ChannelEntry.EntryState state(String text) throws UnreadableException {
        return switch (text) {
            case ASSIGNED -> ChannelEntry.EntryState.ASSIGNED;
            case RELEASING -> ChannelEntry.EntryState.RELEASING;
            default -> throw new UnreadableException("an entry of spec.channels has a state that is not known");
        };
    }

    private static void written(ObjectNode into, AgentReport agent) {
        into.put("version", agent.version())
                .put("gpus", agent.gpus())
                .put("product", agent.product())
                .put("findings", agent.findings());
        agent.xidsSince()
                .ifPresent(since -> into.put("xidsSince", since.toString()).put("xids", agent.xids()));
    }

    private static ObjectNode written(ObjectNode metadata, NvlinkNode content) {
        metadata.putArray("finalizers").add(FabricObjects.NODE_FINALIZER);
        Resource.texts(metadata, "labels", labels(content.cliques()));
        ObjectNode object = Resource.FABRIC.object("NVLinkNode", metadata);
        ObjectNode spec =
                object.putObject("spec").put("session", content.session()).put("write", content.write());
        ArrayNode cliques = spec.putArray("cliques");
        content.cliques().forEach(clique -> cliques.add(clique.text()));
        content.boot().ifPresent(boot -> spec.put("bootID", boot.value()));
        content.channels().ifPresent(count -> spec.put("imexChannelCount", count));
        ArrayNode holds = spec.putArray("holds");
        for (Hold hold : content.holds().values()) {
            ObjectNode one = domain(holds.addObject(), hold.domain());
            hold.channel().ifPresent(channel -> one.put("channel", channel.number()));
            if (hold.kept()) {
                one.put("kept", true);
            }
        }
        NodeStatus nodeStatus = content.status();
        ObjectNode status = object.putObject("status").put("gpus", nodeStatus.gpus());
        nodeStatus.mode().ifPresent(mode -> {
            switch (mode) {
                case NodeMode.ObservingMode _ -> status.put("mode", OBSERVING);
                case NodeMode.ChannelMode(Isolation isolation) ->
                    status.put("mode", SERVING).put("isolation", isolation.text());
            }
        });
        nodeStatus.clique().ifPresent(clique -> status.put("clique", clique.text()));
        nodeStatus.driver().ifPresent(driver -> status.put("driver", driver));
        nodeStatus.imex().ifPresent(imex -> status.put("imex", imex));
        nodeStatus.imexSince().ifPresent(since -> status.put("imexSince", since.toString()));
        nodeStatus.imexStart().ifPresent(start -> status.put("imexStart", start));
        nodeStatus.peers().ifPresent(peers -> status.put("peers", peers));
        nodeStatus.links().ifPresent(links -> {
            ObjectNode connections = status.putObject("connections").put("address", links.address());
            for (LinkState state : LinkState.values()) {
                if (!links.of(state).isEmpty()) {
                    connections.put(state.text(), links.of(state));
                }
            }
        });
        nodeStatus.nodesFile().ifPresent(file -> written(status.putObject("nodesFile"), file));
        nodeStatus.agent().ifPresent(agent -> written(status.putObject("agent"), agent));
        return object;
    }

    private static void written(ObjectNode object, NodesFile file) {
        object.put("digest", file.digest()).put("count", file.count());
        file.own().ifPresent(own -> object.put("own", own));
        if (file.changed()) {
            object.put("changed", true);
        }
        if (!file.lines().isEmpty()) {
            object.put("lines", file.lines());
        }
        if (!file.addresses().isEmpty()) {
            object.put("addresses", file.addresses());
        }
    }

    private static ObjectNode written(ObjectNode metadata, NvlinkClique content) {
        metadata.putArray("finalizers").add(FabricObjects.CLIQUE_FINALIZER);
        ObjectNode object = Resource.FABRIC.object("NVLinkClique", metadata);
        ObjectNode spec = object.putObject("spec").put("limit", content.limit());
        content.limitedBy().ifPresent(node -> spec.put("limitedBy", node));
        ArrayNode channels = spec.putArray("channels");
        for (ChannelEntry entry : content.table().entries().values()) {
            String state = switch (entry.state()) {
                case ASSIGNED -> ASSIGNED;
                case RELEASING -> RELEASING;
            };
            domain(channels.addObject().put("id", entry.id().number()), entry.domain())
                    .put("by", entry.by())
                    .put("state", state);
        }
        return object;
    }

    private static ObjectNode domain(ObjectNode part, DomainName domain) {
        return part.put("computeDomain", domain.uid().value())
                .put("namespace", domain.namespace())
                .put("name", domain.name());
    }

    /** The objects of one kind in one namespace; {@code written} builds the JSON object from metadata and content. */
    record HttpStoredObjects<T>(
            Resource<Stored<T>> resource, String namespace, BiFunction<ObjectNode, T, ObjectNode> written)
            implements StoredObjects<T> {

        @Override
        public Optional<Stored<T>> get(String name) throws ApiException {
            return resource.get(namespace, name);
        }

        @Override
        public Stored<T> create(String name, T content) throws ApiException {
            return resource.create(namespace, name, written.apply(Resource.named(namespace, name), content));
        }

        /**
         * Replaces the whole object in the version that was observed. Only agents and controllers own these objects.
         * Everything outside the content is removed, such as annotations that a user added to an NVLinkNode, and fields
         * of a later version; therefore a later version must work without a field that an older writer drops. The
         * outage that a controller wrote is kept.
         */
        @Override
        public Stored<T> replace(Stored<T> observed, T content) throws ApiException {
            ObjectNode object = written.apply(Resource.metadata(observed.ref()), content);
            observed.outage().ifPresent(outage -> write(object, outage));
            return resource.update(namespace, observed.name(), object);
        }

        @Override
        public void delete(Stored<T> observed) throws ApiException {
            Optional<Stored<T>> held = observed.deleting() ? Optional.of(observed) : resource.delete(observed.ref());
            if (held.isPresent()) {
                ObjectNode patch = JsonTrees.object();
                patch.putObject("metadata").putArray("finalizers");
                resource.reading(Decoder.ANY).patch(held.get().ref(), "", patch);
            }
        }
    }
}
