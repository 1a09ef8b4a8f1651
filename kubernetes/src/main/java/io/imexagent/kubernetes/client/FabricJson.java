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
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import io.imexagent.kubernetes.json.JsonTrees;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** NVLinkNodes and NVLinkCliques as JSON. What cannot be is unreadable as a whole: a hold that is missed would be lost. */
final class FabricJson {

    private static final String ASSIGNED = "Assigned";
    private static final String RELEASING = "Releasing";

    private FabricJson() {}

    static final Decoder<Stored<NvlinkNode>> NODE = new Decoder<>(
            WantedFields.ofObject(
                    "spec.session",
                    "spec.write",
                    "spec.clique",
                    "spec.bootID",
                    "spec.imexChannelCount",
                    "spec.holds[].computeDomain",
                    "spec.holds[].namespace",
                    "spec.holds[].name",
                    "spec.holds[].channel"),
            node -> stored(node, node(node)));

    static final Decoder<Stored<NvlinkClique>> CLIQUE = new Decoder<>(
            WantedFields.ofObject(
                    "spec.limit",
                    "spec.channels[].id",
                    "spec.channels[].computeDomain",
                    "spec.channels[].namespace",
                    "spec.channels[].name",
                    "spec.channels[].by",
                    "spec.channels[].state"),
            clique -> stored(clique, clique(clique)));

    private static <T> Stored<T> stored(Fields object, T content) throws UnreadableException {
        return new Stored<>(object.required("metadata.uid"), object.required("metadata.resourceVersion"), content);
    }

    private static NvlinkNode node(Fields node) throws UnreadableException {
        List<Hold> holds = new ArrayList<>();
        for (Fields hold : node.each("spec.holds")) {
            holds.add(new Hold(
                    domain(hold), hold.has("channel") ? Optional.of(channel(hold, "channel")) : Optional.empty()));
        }
        int channels = node.whole("spec.imexChannelCount", 0);
        return new NvlinkNode(
                node.text("spec.session"),
                node.whole("spec.write").orElse(0),
                text(node, "spec.clique").map(CliqueId::new),
                text(node, "spec.bootID").map(BootId::new),
                channels > 0 ? OptionalInt.of(channels) : OptionalInt.empty(),
                NvlinkNode.byDomain(holds));
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

    static ObjectNode replaced(String name, Stored<NvlinkNode> observed, NvlinkNode content) {
        return written(metadata(name, observed), content);
    }

    private static ObjectNode written(ObjectNode metadata, NvlinkNode content) {
        metadata.putArray("finalizers").add(FabricObjects.NODE_FINALIZER);
        content.clique()
                .ifPresent(clique -> metadata.putObject("labels").put(FabricObjects.CLIQUE_LABEL, clique.text()));
        ObjectNode object = object("NVLinkNode", metadata);
        ObjectNode spec =
                object.putObject("spec").put("session", content.session()).put("write", content.write());
        content.clique().ifPresent(clique -> spec.put("clique", clique.text()));
        content.boot().ifPresent(boot -> spec.put("bootID", boot.value()));
        content.channels().ifPresent(count -> spec.put("imexChannelCount", count));
        ArrayNode holds = spec.putArray("holds");
        for (Hold hold : content.holds().values()) {
            ObjectNode one = domain(holds.addObject(), hold.domain());
            hold.channel().ifPresent(channel -> one.put("channel", channel.number()));
        }
        return object;
    }

    static ObjectNode replaced(CliqueId id, Stored<NvlinkClique> observed, NvlinkClique content) {
        ObjectNode metadata = metadata(id.text(), observed);
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

    private static ObjectNode metadata(String name, Stored<?> observed) {
        return JsonTrees.object()
                .put("name", name)
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
