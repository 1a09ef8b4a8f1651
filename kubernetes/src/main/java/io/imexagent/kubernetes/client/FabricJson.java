package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeSight;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import io.imexagent.kubernetes.json.JsonTrees;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** NVLinkNodes and NVLinkCliques as JSON. What cannot be is unreadable as a whole: a hold that is missed would be lost. */
final class FabricJson {

    private static final String ASSIGNED = "Assigned";
    private static final String RELEASING = "Releasing";

    /** Room for 2,048 channels with the longest names that there may be. */
    private static final int LARGEST = 4 << 20;

    private FabricJson() {}

    static final Decoder<Stored<NvlinkNode>> NODE = new Decoder<>(
            WantedFields.ofObject(
                            "metadata.labels.*",
                            "spec.session",
                            "spec.write",
                            "spec.cliques[]",
                            "spec.bootID",
                            "spec.imexChannelCount",
                            "spec.holds[].computeDomain",
                            "spec.holds[].namespace",
                            "spec.holds[].name",
                            "spec.holds[].channel",
                            "spec.holds[].kept",
                            "status.clique",
                            "status.driver",
                            "status.gpus",
                            "status.imex",
                            "status.imexSince",
                            "status.peers")
                    .room(LARGEST),
            node -> stored(node, node(node)));

    static final Decoder<Stored<NvlinkClique>> CLIQUE = new Decoder<>(
            WantedFields.ofObject(
                            "spec.limit",
                            "spec.channels[].id",
                            "spec.channels[].computeDomain",
                            "spec.channels[].namespace",
                            "spec.channels[].name",
                            "spec.channels[].by",
                            "spec.channels[].state")
                    .room(LARGEST),
            clique -> stored(clique, clique(clique)));

    private static <T> Stored<T> stored(Fields object, T content) throws UnreadableException {
        return new Stored<>(
                object.required("metadata.name"),
                object.required("metadata.uid"),
                object.required("metadata.resourceVersion"),
                object.deleting(),
                content);
    }

    private static NvlinkNode node(Fields node) throws UnreadableException {
        List<Hold> holds = new ArrayList<>();
        for (Fields hold : node.each("spec.holds")) {
            holds.add(new Hold(
                    domain(hold),
                    hold.has("channel") ? Optional.of(channel(hold, "channel")) : Optional.empty(),
                    hold.isTrue("kept")));
        }
        int channels = node.whole("spec.imexChannelCount", 0);
        var cliques = new TreeSet<CliqueId>();
        node.texts("spec.cliques").forEach(clique -> cliques.add(new CliqueId(clique)));
        return new NvlinkNode(
                node.text("spec.session"),
                node.whole("spec.write").orElse(0),
                cliques,
                text(node, "spec.bootID").map(BootId::new),
                channels > 0 ? OptionalInt.of(channels) : OptionalInt.empty(),
                NvlinkNode.byDomain(holds),
                new NodeSight(
                        text(node, "status.clique").map(CliqueId::new),
                        text(node, "status.driver"),
                        node.whole("status.gpus", 0),
                        text(node, "status.imex"),
                        time(node.text("status.imexSince")),
                        text(node, "status.peers")),
                node.finalizers().contains(FabricObjects.NODE_FINALIZER)
                        && node.map("metadata.labels").equals(labels(cliques)));
    }

    private static Map<String, String> labels(Set<CliqueId> cliques) {
        return cliques.stream().collect(Collectors.toMap(FabricObjects::label, clique -> ""));
    }

    private static Optional<Instant> time(String text) throws UnreadableException {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) {
            throw new UnreadableException("status.imexSince is no time");
        }
    }

    private static NvlinkClique clique(Fields clique) throws UnreadableException {
        if (!clique.has("spec.channels")) {
            throw new UnreadableException("no spec.channels");
        }
        List<ChannelEntry> entries = new ArrayList<>();
        for (Fields entry : clique.each("spec.channels")) {
            entries.add(new ChannelEntry(
                    channel(entry, "id"), domain(entry), entry.required("by"), state(entry.text("state"))));
        }
        ChannelTable table = ChannelTable.of(entries);
        if (table.entries().size() < clique.count("spec.channels")) {
            throw new UnreadableException("spec.channels has a channel twice");
        }
        return new NvlinkClique(clique.whole("spec.limit", 0), table);
    }

    private static Optional<String> text(Fields object, String path) {
        return Optional.of(object.text(path)).filter(text -> !text.isEmpty());
    }

    private static DomainName domain(Fields part) throws UnreadableException {
        return new DomainName(
                new ComputeDomainUid(part.required("computeDomain")),
                part.required("namespace"),
                part.required("name"));
    }

    private static ChannelId channel(Fields part, String field) {
        return new ChannelId(part.whole(field, -1));
    }

    private static ChannelEntry.State state(String text) throws UnreadableException {
        return switch (text) {
            case ASSIGNED -> ChannelEntry.State.ASSIGNED;
            case RELEASING -> ChannelEntry.State.RELEASING;
            default -> throw new UnreadableException("an entry of spec.channels has a state that is not known");
        };
    }

    static ObjectNode created(String name, NvlinkNode content) {
        return written(JsonTrees.object().put("name", name), content);
    }

    static ObjectNode replaced(Stored<NvlinkNode> observed, NvlinkNode content) {
        return written(metadata(observed), content);
    }

    private static ObjectNode written(ObjectNode metadata, NvlinkNode content) {
        metadata.putArray("finalizers").add(FabricObjects.NODE_FINALIZER);
        ObjectNode labels = metadata.putObject("labels");
        labels(content.cliques()).forEach(labels::put);
        ObjectNode object = object("NVLinkNode", metadata);
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
        NodeSight sight = content.sight();
        ObjectNode status = object.putObject("status").put("gpus", sight.gpus());
        sight.clique().ifPresent(clique -> status.put("clique", clique.text()));
        sight.driver().ifPresent(driver -> status.put("driver", driver));
        sight.imex().ifPresent(imex -> status.put("imex", imex));
        sight.imexSince().ifPresent(since -> status.put("imexSince", since.toString()));
        sight.peers().ifPresent(peers -> status.put("peers", peers));
        return object;
    }

    static ObjectNode created(CliqueId id, NvlinkClique content) {
        return written(JsonTrees.object().put("name", id.text()), content);
    }

    static ObjectNode replaced(Stored<NvlinkClique> observed, NvlinkClique content) {
        return written(metadata(observed), content);
    }

    private static ObjectNode written(ObjectNode metadata, NvlinkClique content) {
        metadata.putArray("finalizers").add(FabricObjects.CLIQUE_FINALIZER);
        ObjectNode object = object("NVLinkClique", metadata);
        ArrayNode channels =
                object.putObject("spec").put("limit", content.limit()).putArray("channels");
        for (ChannelEntry entry : content.table().entries().values()) {
            domain(channels.addObject().put("id", entry.id().number()), entry.domain())
                    .put("by", entry.by())
                    .put(
                            "state",
                            switch (entry.state()) {
                                case ASSIGNED -> ASSIGNED;
                                case RELEASING -> RELEASING;
                            });
        }
        return object;
    }

    /** What a deletion must find unchanged. */
    static ObjectNode preconditions(Stored<?> observed) {
        ObjectNode options = JsonTrees.object();
        options.putObject("preconditions").put("uid", observed.uid()).put("resourceVersion", observed.version());
        return options;
    }

    /** A patch that takes all finalizers off an object, unless it has changed. */
    static ObjectNode withoutFinalizers(Stored<?> observed) {
        ObjectNode patch = JsonTrees.object();
        patch.putObject("metadata")
                .put("uid", observed.uid())
                .put("resourceVersion", observed.version())
                .putArray("finalizers");
        return patch;
    }

    private static ObjectNode metadata(Stored<?> observed) {
        return JsonTrees.object()
                .put("name", observed.name())
                .put("uid", observed.uid())
                .put("resourceVersion", observed.version());
    }

    private static ObjectNode object(String kind, ObjectNode metadata) {
        ObjectNode object = JsonTrees.object()
                .put("apiVersion", Resource.FABRIC.name() + "/" + Resource.FABRIC.version())
                .put("kind", kind);
        object.set("metadata", metadata);
        return object;
    }

    private static ObjectNode domain(ObjectNode part, DomainName domain) {
        return part.put("computeDomain", domain.uid().value())
                .put("namespace", domain.namespace())
                .put("name", domain.name());
    }
}
