package io.imexagent.imex.document;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
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
                .fact("Xids", xids.map(InventoryText::xids).orElse("not told: no agent has listened since the boot"));
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
            case DriverState.Loaded loaded ->
                Cell.good("loaded, " + loaded.driverVersion() + ", NVML " + loaded.nvmlVersion());
            case DriverState.Absent absent -> Cell.bad("absent: " + absent.reason());
            case DriverState.Failing failing -> Cell.bad("failing: " + failing.reason());
        };
    }

    private static Cell clique(CliqueState clique) {
        return switch (clique) {
            case CliqueState.Present present -> Cell.good(present.id().text());
            case CliqueState.None none -> Cell.warning("none: " + none.reason());
            case CliqueState.Registering registering -> Cell.warning("registering: " + registering.detail());
            case CliqueState.Failed failed -> Cell.bad("failed: " + failed.detail());
            case CliqueState.Conflicting conflicting ->
                Cell.bad("conflicting: "
                        + conflicting.ids().stream().map(id -> id.text()).collect(Collectors.joining(", ")));
            case CliqueState.Unknown unknown -> Cell.bad("unknown: " + unknown.detail());
        };
    }

    private static Cell major(ChannelMajor major) {
        return switch (major) {
            case ChannelMajor.Registered registered -> Cell.good(Integer.toString(registered.major()));
            case ChannelMajor.NotRegistered none -> Cell.bad("not registered");
            case ChannelMajor.Unknown unknown -> Cell.bad("unknown: " + unknown.detail());
        };
    }

    private static Cell node(ChannelNode node) {
        return switch (node) {
            case ChannelNode.Absent absent -> Cell.of("absent; containers get their own");
            case ChannelNode.Present present ->
                Cell.of(String.format(
                        Locale.ROOT, "%d:%d, mode %04o", present.major(), present.minor(), present.mode()));
            case ChannelNode.Unusable unusable -> Cell.warning("unusable: " + unusable.detail());
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
            case Gpu.Fabric.NotSupported none -> Cell.of("none");
            case Gpu.Fabric.Registering registering -> Cell.warning("registering: " + registering.state());
            case Gpu.Fabric.Registered registered -> registered(registered);
            case Gpu.Fabric.Failed failed -> Cell.bad("failed: " + failed.reason());
            case Gpu.Fabric.Unknown unknown -> Cell.bad("unknown: " + unknown.reason());
        };
    }

    private static Cell registered(Gpu.Fabric.Registered registered) {
        Optional<String> clique = registered.clique().map(id -> id.text());
        String text = clique.map(id -> "registered, " + id).orElse("registered, no clique");
        return registered.unhealthy().isEmpty()
                ? Cell.good(text)
                : Cell.warning(text + "; unhealthy: " + String.join(", ", registered.unhealthy()));
    }
}
