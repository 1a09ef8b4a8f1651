package io.imexagent.rdma.document;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Table;
import io.imexagent.rdma.selection.NcclSettings;
import io.imexagent.rdma.selection.PeerDifference;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.watch.RdmaView;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The rails of a node in short, with what NCCL has to be told, and the line to paste on the other node.
 *
 * @param view the RDMA side
 * @param enabled whether an agent that is configured so publishes what is offered
 * @param difference how the rails differ from those of a peer; empty without one
 */
public record RdmaSummary(RdmaView view, boolean enabled, Optional<PeerDifference> difference) {

    /** The summary for people. */
    public String text(boolean colours) {
        List<Rail> rails = view.selection().rails();
        Table table = Table.ofFacts()
                .fact("rdma.enabled", RdmaText.enabled(enabled))
                .fact("netdevs", rails.isEmpty() ? Cell.bad("none") : Cell.of(RdmaText.labels(rails)))
                .fact("RDMA devices", names(devices(rails)))
                .fact("NCCL_IB_HCA", NcclSettings.ibHca(rails).orElse("-"))
                .fact("GPUDirect", RdmaText.gpuDirect(view.inventory().gpuDirect()))
                .fact("netns mode", view.inventory().netnsMode().text());
        difference.ifPresent(found ->
                table.fact("only here", names(found.onlyHere())).fact("only at peer", names(found.onlyThere())));
        return table.text(colours)
                + (rails.isEmpty() ? "" : "\non the other node: " + command(rails) + "\n" + line(rails) + "\n");
    }

    /** The summary for programs. */
    public ObjectNode document() {
        List<Rail> rails = view.selection().rails();
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("enabled", enabled);
        ArrayNode netdevs = document.putArray("netdevs");
        rails.stream().map(Rail::label).forEach(netdevs::add);
        devices(rails).forEach(document.putArray("rdmaDevices")::add);
        NcclSettings.ibHca(rails).ifPresent(value -> document.put("NCCL_IB_HCA", value));
        document.put("gpuDirect", view.inventory().gpuDirect().text());
        document.put("netnsMode", view.inventory().netnsMode().text());
        difference.ifPresent(found -> {
            ObjectNode peer = document.putObject("peer");
            found.onlyHere().forEach(peer.putArray("onlyHere")::add);
            found.onlyThere().forEach(peer.putArray("onlyThere")::add);
        });
        if (!rails.isEmpty()) {
            document.put("peerLine", line(rails)).put("peerCommand", command(rails));
        }
        return document;
    }

    private static List<String> devices(List<Rail> rails) {
        return rails.stream().map(rail -> rail.nic().name().text()).toList();
    }

    private static String names(Collection<String> names) {
        return names.isEmpty() ? "-" : String.join(",", names);
    }

    private static String command(List<Rail> rails) {
        return "imex-agent rdma check --peer " + RdmaText.labels(rails);
    }

    private static String line(List<Rail> rails) {
        return "RDMA_PEER_IFACES=\"" + rails.stream().map(Rail::label).collect(Collectors.joining(" ")) + "\"";
    }
}
