package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Style;
import io.imexagent.core.text.Table;
import io.imexagent.rdma.check.RdmaPeer;
import io.imexagent.rdma.document.RdmaText;
import io.imexagent.rdma.selection.NcclSettings;
import io.imexagent.rdma.selection.PeerDifference;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.watch.RdmaView;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent rdma summary}. */
final class RdmaSummaryCommand implements Command {

    private final Configured configured;
    private final RdmaSource source;

    RdmaSummaryCommand(Configured configured, RdmaSource source) {
        this.configured = configured;
        this.source = source;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create()
                .name("summary")
                .addOption(GlobalOptions.output())
                .addOption(PeerOption.spec());
        spec.usageMessage()
                .description(
                        "Print the rails of this node, what NCCL has to be told, and the line to paste on the other"
                                + " node.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            RdmaView read = source.read(effective.config()).view();
            Optional<RdmaPeer> peer = PeerOption.peer(invocation, effective.config());
            RdmaView view = peer.map(one -> one.applied(read, effective.config().rdma()))
                    .orElse(read);
            Optional<PeerDifference> difference =
                    peer.map(one -> one.difference(read, effective.config().rdma()));
            boolean enabled = effective.config().rdma().enabled();
            invocation.print(
                    () -> text(view, enabled, difference, invocation.colours()),
                    () -> document(view, enabled, difference));
            return view.selection().rails().isEmpty() ? ExitCode.FAILED : ExitCode.OK;
        });
    }

    private static String text(RdmaView view, boolean enabled, Optional<PeerDifference> difference, boolean colours) {
        List<Rail> rails = view.selection().rails();
        Table table = Table.ofFacts()
                .fact("rdma.enabled", RdmaText.enabled(enabled))
                .fact("netdevs", rails.isEmpty() ? new Cell("none", Style.BAD) : Cell.of(RdmaText.labels(rails)))
                .fact("RDMA devices", devices(rails))
                .fact("NCCL_IB_HCA", NcclSettings.ibHca(rails).orElse("-"))
                .fact("GPUDirect", RdmaText.gpuDirect(view.inventory().gpuDirect()))
                .fact("netns mode", view.inventory().netnsMode().text());
        difference.ifPresent(found ->
                table.fact("only here", names(found.onlyHere())).fact("only at peer", names(found.onlyThere())));
        return table.text(colours)
                + (rails.isEmpty() ? "" : "\non the other node: " + command(rails) + "\n" + line(rails) + "\n");
    }

    private static ObjectNode document(RdmaView view, boolean enabled, Optional<PeerDifference> difference) {
        List<Rail> rails = view.selection().rails();
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("enabled", enabled);
        ArrayNode netdevs = document.putArray("netdevs");
        rails.stream().map(Rail::label).forEach(netdevs::add);
        ArrayNode devices = document.putArray("rdmaDevices");
        rails.stream().map(rail -> rail.nic().name().text()).forEach(devices::add);
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

    private static String devices(List<Rail> rails) {
        return rails.isEmpty()
                ? "-"
                : rails.stream().map(rail -> rail.nic().name().text()).collect(Collectors.joining(","));
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
