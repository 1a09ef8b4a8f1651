package io.imexagent.imex.document;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.core.inventory.XidHistory;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Table;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The node's inventory for people. */
public final class InventoryText {

    private static final String NOT_TOLD = "-";

    private InventoryText() {}

    public static String of(NodeInventory inventory, Optional<XidHistory> xids, boolean colours) {
        var text = new StringBuilder(facts(inventory, xids).text(colours));
        if (!inventory.gpus().isEmpty()) {
            text.append('\n').append(gpus(inventory.gpus()).text(colours));
        }
        List<XidHistory.Heard> heard = xids.map(XidHistory::heard).orElse(List.of());
        if (!heard.isEmpty()) {
            text.append('\n').append(xids(heard).text(colours));
        }
        if (!inventory.findings().isEmpty()) {
            text.append('\n').append(Table.of(inventory.findings()).text(colours));
        }
        return text.toString();
    }

    private static Table facts(NodeInventory inventory, Optional<XidHistory> xids) {
        return Table.ofFacts()
                .fact("driver", driver(inventory.driver()))
                .fact("clique", clique(inventory.clique()))
                .fact("channel major", major(inventory.channelMajor()))
                .fact(
                        "channels",
                        inventory.channelCount().isPresent()
                                ? Integer.toString(inventory.channelCount().getAsInt())
                                : NOT_TOLD)
                .fact("channel 0 node", node(inventory.channelNode()))
                .fact("boot", inventory.bootId().map(id -> id.value()).orElse(NOT_TOLD))
                .fact("vendor", inventory.vendor().orElse(NOT_TOLD))
                .fact("Xids", xids.map(InventoryText::xids).orElse("unknown: no agent has listened since the boot"));
    }

    private static String xids(XidHistory history) {
        long count = history.heard().stream().mapToLong(XidHistory.Heard::count).sum();
        return (count == 0 ? "none" : Long.toString(count)) + " heard by the agent since " + history.since();
    }

    private static Table xids(List<XidHistory.Heard> heard) {
        Table table = Table.of("GPU", "XID", "OF", "COUNT", "FIRST", "LAST");
        for (XidHistory.Heard xid : heard) {
            table.row(
                    Cell.of(xid.gpu().isPresent() ? Integer.toString(xid.gpu().getAsInt()) : NOT_TOLD),
                    Cell.of(Long.toString(xid.number())),
                    switch (xid.cause()) {
                        case PROGRAM -> Cell.of("program");
                        case GPU -> Cell.bad("gpu");
                    },
                    Cell.of(Long.toString(xid.count())),
                    Cell.of(xid.first().toString()),
                    Cell.of(xid.last().toString()));
        }
        return table;
    }

    private static Cell driver(DriverState driver) {
        return switch (driver) {
            case DriverState.Loaded(String version, String nvml) -> Cell.good("loaded, " + version + ", NVML " + nvml);
            case DriverState.Absent(String reason) -> Cell.bad("absent: " + reason);
            case DriverState.Failing(String reason) -> Cell.bad("failing: " + reason);
        };
    }

    private static Cell clique(CliqueState clique) {
        return switch (clique) {
            case CliqueState.Present present -> Cell.good(present.text());
            case CliqueState.None _, CliqueState.Registering _ -> Cell.warning(clique.text() + why(clique));
            case CliqueState.Failed _, CliqueState.Unknown _ -> Cell.bad(clique.text() + why(clique));
            case CliqueState.Conflicting(var ids) ->
                Cell.bad("conflicting: " + ids.stream().map(CliqueId::text).collect(Collectors.joining(", ")));
        };
    }

    private static String why(CliqueState clique) {
        return clique.why().map(reason -> ": " + reason).orElse("");
    }

    private static Cell major(ChannelMajor major) {
        return switch (major) {
            case ChannelMajor.Registered registered -> Cell.good(registered.text());
            case ChannelMajor.NotRegistered _ -> Cell.bad("not registered");
            case ChannelMajor.Unknown(String detail) -> Cell.bad("unknown: " + detail);
        };
    }

    private static Cell node(ChannelNode node) {
        return switch (node) {
            case ChannelNode.Absent _ -> Cell.of("absent; containers get their own");
            case ChannelNode.Present(int major, int minor, int mode) ->
                Cell.of(String.format(Locale.ROOT, "%d:%d, mode %04o", major, minor, mode));
            case ChannelNode.Unusable(String detail) -> Cell.warning("unusable: " + detail);
        };
    }

    private static Table gpus(List<Gpu> gpus) {
        Table table = Table.of("GPU", "NAME", "PCI", "UUID", "FABRIC", "HEALTH");
        for (Gpu gpu : gpus) {
            table.row(
                    Cell.of(Integer.toString(gpu.index())),
                    Cell.of(gpu.name()),
                    Cell.of(gpu.pci().map(PciAddress::toString).orElse(NOT_TOLD)),
                    Cell.of(gpu.uuid()),
                    fabric(gpu.fabric()),
                    health(gpu.health()));
        }
        return table;
    }

    private static Cell health(GpuHealth health) {
        String complaints = String.join(", ", health.complaints());
        return switch (health.weight()) {
            case GOOD ->
                health.summary().or(health::recoveryAction).isPresent()
                                || !health.fabric().isEmpty()
                        ? Cell.good("well")
                        : Cell.of(NOT_TOLD);
            case DEGRADED -> Cell.warning(complaints);
            case BAD -> Cell.bad(complaints);
        };
    }

    private static Cell fabric(Gpu.Fabric fabric) {
        return switch (fabric) {
            case Gpu.Fabric.NotSupported _ -> Cell.of("none");
            case Gpu.Fabric.Registering(String state) -> Cell.warning("registering: " + state);
            case Gpu.Fabric.Registered(Optional<CliqueId> clique, List<String> unhealthy) -> {
                String text = "registered, " + clique.map(CliqueId::text).orElse("no clique");
                yield unhealthy.isEmpty()
                        ? Cell.good(text)
                        : Cell.warning(text + "; unhealthy: " + String.join(", ", unhealthy));
            }
            case Gpu.Fabric.Failed(String reason) -> Cell.bad("failed: " + reason);
            case Gpu.Fabric.Unknown(String reason) -> Cell.bad("unknown: " + reason);
        };
    }
}
