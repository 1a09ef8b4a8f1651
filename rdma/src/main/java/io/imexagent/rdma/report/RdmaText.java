package io.imexagent.rdma.report;

import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;
import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.PciFunction;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory.GpuDirect;
import io.imexagent.rdma.rails.PodVariables;
import io.imexagent.rdma.selection.Choice.NicClass;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.selection.Selection;
import io.imexagent.rdma.selection.Selection.NicVerdict;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.TopologyFile;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The RDMA devices of the node as text for people. */
public final class RdmaText {

    private RdmaText() {}

    /** All NICs with class and reason, and the facts about the whole node. */
    public static String of(RdmaView view, Screen screen) {
        Selection selection = view.selection();
        return Table.texts(
                screen, facts(view), nics(view), dropped(selection.dropped()), Table.of(selection.findings()));
    }

    private static Table facts(RdmaView view) {
        Selection selection = view.selection();
        Table table = Table.ofFacts()
                .fact("rdma.enabled", enabled(view.settings().enabled()))
                .fact("rails", rails(selection))
                .fact("NCCL_IB_HCA", Rail.ncclIbHca(selection.rails()).orElse(Cell.UNKNOWN))
                .fact("NCCL_IB_GID_INDEX", cell(Rail.ncclGidIndex(selection.rails())))
                .fact("env", PodVariables.of(view).text())
                .fact("GPUDirect", gpuDirect(view.inventory().gpuDirect()))
                .fact("netns mode", view.inventory().netnsMode().text())
                .fact("rdma_cm", cell(view.inventory().rdmaCm().map(DeviceNodeEdits::number)))
                .fact("node addresses", addresses(view.nodeAddresses()));
        switch (view.topology()) {
            case TopologyFile.NoTopology _ -> {}
            case TopologyFile.TopologyFound(String path) -> table.fact("NCCL_TOPO_FILE", path);
            case TopologyFile.TopologyUnusable(String path, String reason) ->
                table.fact("NCCL_TOPO_FILE", Cell.warning("none: " + path + ", and " + reason));
        }
        selection.failures().forEach(failure -> table.fact("strict", Cell.bad(failure)));
        return table;
    }

    /** The rails in short, with the settings for NCCL, the faults, and the line to paste on the other node. */
    public static String summary(RdmaView view, Optional<RdmaPeer.Difference> peer, Screen screen) {
        Selection selection = view.selection();
        Table table = Table.ofFacts()
                .fact("rdma.enabled", enabled(view.settings().enabled()))
                .fact("netdevs", rails(selection))
                .fact("RDMA devices", names(RdmaDocument.devices(selection)))
                .fact("NCCL_IB_HCA", Rail.ncclIbHca(selection.rails()).orElse(Cell.UNKNOWN))
                .fact("GPUDirect", gpuDirect(view.inventory().gpuDirect()))
                .fact("netns mode", view.inventory().netnsMode().text());
        peer.ifPresent(found ->
                table.fact("only here", names(found.onlyHere())).fact("only at peer", names(found.onlyThere())));
        List<Finding> grave = selection.findings().stream()
                .filter(finding -> finding.severity() != Severity.INFO)
                .toList();
        return Table.texts(screen, table, Table.of(grave))
                + (selection.rails().isEmpty()
                        ? ""
                        : "\non the other node: " + RdmaDocument.peerCommand(selection) + "\n"
                                + RdmaDocument.peerLine(selection) + "\n");
    }

    private static String names(Collection<String> names) {
        return names.isEmpty() ? Cell.UNKNOWN : String.join(",", names);
    }

    private static Cell rails(Selection selection) {
        return selection.rails().isEmpty() ? Cell.bad("none") : Cell.of(selection.labels(","));
    }

    private static Cell addresses(KnownAddresses addresses) {
        return switch (addresses) {
            case KnownAddresses.ReadAddresses known -> Cell.of(names(known.texts()));
            case KnownAddresses.UnreadAddresses(String reason) -> Cell.warning("not known: " + reason);
        };
    }

    private static Cell enabled(boolean on) {
        return on ? Cell.of("true") : Cell.warning("false, so the agent publishes none of these");
    }

    private static Cell gpuDirect(GpuDirect verdict) {
        String text = verdict.text() + ": " + verdict.reason();
        return verdict.way() == GpuDirect.GpuDirectMethod.NONE ? Cell.warning(text) : Cell.good(text);
    }

    private static Table nics(RdmaView view) {
        Table table = Table.of(
                "RDMA", "NETDEV", "PCI", "NUMA", "LINK", "STATE", "GB/S", "GID", "ADDRESS", "GPUS", "CLASS", "OFFERED");
        for (NicVerdict verdict : view.selection().verdicts()) {
            Optional<Nic> nic = verdict.reading().asNic();
            Optional<Port> port = port(verdict);
            String device = verdict.reading() instanceof NicReading.NicWithoutRdma
                    ? Cell.UNKNOWN
                    : verdict.reading().label();
            table.row(
                    Cell.of(device),
                    cell(nic.flatMap(Nic::interfaceName)),
                    cell(verdict.reading().address()),
                    cell(verdict.reading().function().flatMap(PciFunction::numaNode)),
                    cell(port.map(one -> one.linkLayer().text())),
                    cell(port.map(one -> one.state().text())),
                    cell(port.flatMap(Port::gbps).map(RdmaText::rate)),
                    cell(verdict.rail().flatMap(Rail::gid).map(Gid.GidEntry::index)),
                    cell(nic.map(RdmaText::address)),
                    cell(verdict.rail().map(RdmaText::gpus)),
                    nicClass(verdict.nicClass()),
                    verdict.dropped()
                            .map(dropped -> Cell.of("no, " + dropped.rule().text()))
                            .orElseGet(() -> Cell.good("yes")));
        }
        return table;
    }

    private static Cell cell(Optional<?> fact) {
        return Cell.of(fact.map(Object::toString).orElse(Cell.UNKNOWN));
    }

    private static Table dropped(List<NicVerdict> verdicts) {
        Table table = Table.of("NOT OFFERED", "RULE", "REASON");
        for (NicVerdict verdict : verdicts) {
            verdict.dropped()
                    .ifPresent(dropped -> table.row(
                                    verdict.reading().label(), dropped.rule().text(), dropped.reason())
                            .remedy(dropped.remedy()));
        }
        return table;
    }

    private static Optional<Port> port(NicVerdict verdict) {
        return verdict.rail()
                .map(Rail::port)
                .or(() -> verdict.reading()
                        .asNic()
                        .flatMap(nic -> nic.ports().stream().findFirst()));
    }

    private static String address(Nic nic) {
        return names(nic.ipv4().stream().map(Object::toString).toList());
    }

    private static String rate(double gbps) {
        return BigDecimal.valueOf(gbps).stripTrailingZeros().toPlainString();
    }

    private static String gpus(Rail rail) {
        return rail.nearestGpus().isEmpty()
                ? Cell.UNKNOWN
                : rail.gpuIndices() + " (" + rail.distance().text() + ")";
    }

    private static Cell nicClass(NicClass nicClass) {
        return switch (nicClass) {
            case RAIL -> Cell.good(nicClass.text());
            case UPLINK, STORAGE, VIRTUAL_FUNCTION, EFA, MANAGEMENT, SOFTWARE -> Cell.of(nicClass.text());
            case UNUSABLE -> Cell.warning(nicClass.text());
        };
    }
}
