package io.imexagent.rdma.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.PciFunction;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.inventory.RdmaInventory.Uplinks;
import io.imexagent.rdma.rails.PodVariables;
import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.selection.Selection;
import io.imexagent.rdma.selection.Selection.NicVerdict;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaView;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The RDMA devices of the node as a document. Unknown facts are left out. */
public final class RdmaDocument {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private RdmaDocument() {}

    /** All NICs; {@code enabled} is whether an agent with this configuration publishes the offered ones. */
    public static ObjectNode of(RdmaView view) {
        RdmaInventory inventory = view.inventory();
        ObjectNode document = NODES.objectNode();
        document.put("enabled", view.settings().enabled());
        ObjectNode nccl = document.putObject("nccl");
        nccl(view.selection(), nccl);
        view.topologyFile().ifPresent(path -> nccl.put("NCCL_TOPO_FILE", path));
        PodVariables variables = PodVariables.of(view);
        nccl.put("env", variables.defaultMode().text()).put("envReason", variables.reason());
        document.putObject("gpuDirect")
                .put("method", inventory.gpuDirect().text())
                .put("reason", inventory.gpuDirect().reason());
        document.put("netnsMode", inventory.netnsMode().text());
        inventory.rdmaCm().ifPresent(node -> document.put("rdmaCm", node.number()));
        addresses(view.nodeAddresses(), document.putObject("nodeAddresses"));
        uplinks(inventory.uplinks(), document.putObject("uplinks"));
        ArrayNode nics = document.putArray("nics");
        view.selection().verdicts().forEach(verdict -> nic(verdict, inventory, nics.addObject()));
        ArrayNode gpus = document.putArray("gpus");
        inventory.gpus().forEach(gpu -> {
            ObjectNode one = gpus.addObject()
                    .put("index", gpu.index())
                    .put("uuid", gpu.uuid())
                    .put("pci", gpu.path().function().toString())
                    .put("pcieRoot", gpu.path().root());
            gpu.numaNode().ifPresent(node -> one.put("numaNode", node));
        });
        document.set("failures", texts(view.selection().failures()));
        document.set("findings", JsonTrees.findings(view.selection().findings()));
        return document;
    }

    private static void addresses(KnownAddresses addresses, ObjectNode document) {
        switch (addresses) {
            case KnownAddresses.ReadAddresses known ->
                document.put("state", "known").set("addresses", texts(known.texts()));
            case KnownAddresses.UnreadAddresses(String reason) ->
                document.put("state", "unknown").put("reason", reason);
        }
    }

    /** The rails in short, with the settings for NCCL, and the line to paste on the other node. */
    public static ObjectNode summary(RdmaView view, Optional<RdmaPeer.Difference> difference) {
        Selection selection = view.selection();
        ObjectNode document = NODES.objectNode().put("enabled", view.settings().enabled());
        document.set(
                "netdevs", texts(selection.rails().stream().map(Rail::label).toList()));
        document.set("rdmaDevices", texts(devices(selection)));
        Rail.ncclIbHca(selection.rails()).ifPresent(value -> document.put("NCCL_IB_HCA", value));
        document.put("gpuDirect", view.inventory().gpuDirect().text());
        document.put("netnsMode", view.inventory().netnsMode().text());
        document.set("findings", JsonTrees.findings(selection.findings()));
        difference.ifPresent(found -> document.putObject("peer")
                .<ObjectNode>set("onlyHere", texts(found.onlyHere()))
                .set("onlyThere", texts(found.onlyThere())));
        if (!selection.rails().isEmpty()) {
            document.put("peerLine", peerLine(selection)).put("peerCommand", peerCommand(selection));
        }
        return document;
    }

    static List<String> devices(Selection selection) {
        return selection.rails().stream().map(rail -> rail.nic().name().text()).toList();
    }

    static String peerCommand(Selection selection) {
        return "imex-agent rdma check --peer " + selection.labels(",");
    }

    static String peerLine(Selection selection) {
        return "RDMA_PEER_IFACES=\"" + selection.labels(" ") + "\"";
    }

    private static void nccl(Selection selection, ObjectNode document) {
        Rail.ncclIbHca(selection.rails()).ifPresent(value -> document.put("NCCL_IB_HCA", value));
        Rail.ncclGidIndex(selection.rails())
                .ifPresent(index -> document.put("NCCL_IB_GID_INDEX", Integer.toString(index)));
    }

    private static void uplinks(Uplinks uplinks, ObjectNode document) {
        switch (uplinks) {
            case Uplinks.KnownUplinks known -> {
                ObjectNode interfaces = document.put("state", "known").putObject("interfaces");
                new TreeMap<>(known.reasons()).forEach((name, reason) -> interfaces.put(name.text(), reason));
            }
            case Uplinks.UnknownUplinks unknown ->
                document.put("state", "unknown").put("reason", unknown.reason());
        }
    }

    private static void nic(NicVerdict verdict, RdmaInventory inventory, ObjectNode document) {
        switch (verdict.reading()) {
            case NicReading.ReadNic read -> nic(read.nic(), inventory, document);
            case NicReading.FailedNic failed -> document.put("rdmaDevice", failed.device());
            case NicReading.SoftwareNic(String device) -> document.put("rdmaDevice", device);
            case NicReading.NicWithoutRdma without -> pci(without.pci(), document);
        }
        document.put("class", verdict.nicClass().text());
        document.put("reason", verdict.reason());
        verdict.dropped().flatMap(Choice.DroppedNic::cause).ifPresent(cause -> document.put("cause", cause.text()));
        switch (verdict.choice()) {
            case Choice.SelectedNic kept -> rail(kept.rail(), document);
            case Choice.DroppedNic dropped -> {
                document.put("offered", false);
                document.putObject("dropped")
                        .put("rule", dropped.rule().text())
                        .put("reason", dropped.reason())
                        .put("remedy", dropped.remedy());
            }
        }
    }

    private static void nic(Nic nic, RdmaInventory inventory, ObjectNode document) {
        document.put("rdmaDevice", nic.name().text());
        pci(nic.pci(), document);
        nic.uverbs()
                .ifPresent(uverbs ->
                        document.putObject("uverbs").put("path", uverbs.path()).put("number", uverbs.number()));
        nic.netdev().ifPresent(netdev -> {
            ObjectNode one =
                    document.putObject("netdev").put("name", netdev.name().text());
            netdev.mac().ifPresent(mac -> one.put("mac", mac));
            netdev.mtu().ifPresent(mtu -> one.put("mtu", mtu));
            one.set("ipv4", texts(nic.ipv4().stream().map(Object::toString).toList()));
            Optional.ofNullable(inventory.arp().get(netdev.name()))
                    .ifPresent(arp -> one.putObject("arp")
                            .put("arp_announce", arp.announce())
                            .put("arp_ignore", arp.ignore())
                            .put("arp_filter", arp.filter())
                            .put("rp_filter", arp.reversePath()));
        });
        ArrayNode distances = document.putArray("gpuDistances");
        inventory
                .gpus()
                .forEach(gpu -> distances
                        .addObject()
                        .put("gpu", gpu.index())
                        .put("uuid", gpu.uuid())
                        .put("distance", gpu.from(nic.pci()).text()));
        ArrayNode ports = document.putArray("ports");
        nic.ports().forEach(port -> port(port, ports.addObject()));
    }

    private static void pci(PciFunction pci, ObjectNode document) {
        document.put("pci", pci.address().toString()).put("pcieRoot", pci.path().root());
        pci.numaNode().ifPresent(node -> document.put("numaNode", node));
        pci.id().ifPresent(id -> document.put("pciId", id.text()));
        pci.driver().ifPresent(driver -> document.put("driver", driver));
        pci.physicalFunction().ifPresent(function -> document.put("physicalFunction", function.toString()));
        ArrayNode links = document.putArray("pcieLinks");
        pci.links().forEach(link -> {
            ObjectNode one = links.addObject()
                    .put("device", link.device().toString())
                    .put("current", link.current().toString())
                    .put("most", link.card().toString());
            link.slot().ifPresent(slot -> one.put("port", link.end().toString()).put("portMost", slot.toString()));
        });
    }

    private static void port(Port port, ObjectNode document) {
        document.put("number", port.number())
                .put("linkLayer", port.linkLayer().text())
                .put("state", port.state().text());
        port.physicalState().ifPresent(state -> document.put("physicalState", state));
        port.gbps().ifPresent(rate -> document.put("rateGbps", rate));
        port.lid().ifPresent(lid -> document.put("lid", lid));
        ArrayNode gids = document.putArray("gids");
        port.gids().forEach(gid -> {
            ObjectNode one = gids.addObject()
                    .put("index", gid.index())
                    .put("gid", gid.gid().toString())
                    .put("type", gid.type().text());
            gid.netdev().ifPresent(netdev -> one.put("netdev", netdev.text()));
        });
    }

    private static void rail(Rail rail, ObjectNode document) {
        document.put("offered", true);
        document.put("device", rail.deviceName());
        rail.gid().ifPresent(gid -> document.put("gidIndex", gid.index()));
        document.put("distance", rail.distance().text());
        ArrayNode gpus = document.putArray("nearestGpus");
        rail.nearestGpus().forEach(gpu -> gpus.add(gpu.uuid()));
    }

    private static ArrayNode texts(Collection<String> texts) {
        ArrayNode array = NODES.arrayNode();
        texts.forEach(array::add);
        return array;
    }
}
