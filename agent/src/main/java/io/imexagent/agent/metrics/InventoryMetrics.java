package io.imexagent.agent.metrics;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.probe.InventorySource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The inventory as metrics. */
final class InventoryMetrics {

    private final Meters meters;
    private final Meters.Count changes;
    private Optional<NodeInventory> shown = Optional.empty();

    InventoryMetrics(Meters meters) {
        this.meters = meters;
        this.changes = meters.counter(MetricCatalogue.INVENTORY_CHANGES);
    }

    /** Shows what the source has at this moment, and counts it where it tells something new. */
    synchronized void show(InventorySource source) {
        NodeInventory inventory = source.current();
        if (shown.isPresent() && !shown.get().tellsTheSameAs(inventory)) {
            changes.increment();
        }
        shown = Optional.of(inventory);
        meters.rows(
                MetricCatalogue.GPUS,
                inventory.gpus().stream()
                        .collect(Collectors.groupingBy(gpu -> List.of(name(gpu)), Collectors.summingDouble(gpu -> 1))));
        meters.rows(
                MetricCatalogue.CLIQUE,
                inventory.clique() instanceof CliqueState.Present present
                        ? Map.of(List.of(present.id().text()), 1.0)
                        : Map.of());
        meters.rows(MetricCatalogue.CLIQUE_STATE, Map.of(List.of(state(inventory.clique())), 1.0));
        meters.rows(
                MetricCatalogue.CHANNEL_MAJOR,
                inventory.channelMajor() instanceof ChannelMajor.Registered registered
                        ? Map.of(List.of(), (double) registered.major())
                        : Map.of());
        meters.rows(
                MetricCatalogue.FINDINGS,
                inventory.findings().stream()
                        .map(finding -> List.of(
                                finding.code(), finding.severity().name().toLowerCase(Locale.ROOT)))
                        .distinct()
                        .collect(Collectors.toMap(Function.identity(), labels -> 1.0)));
    }

    private static String name(Gpu gpu) {
        return gpu.name().isEmpty() ? "unreadable" : gpu.name();
    }

    private static String state(CliqueState clique) {
        return switch (clique) {
            case CliqueState.Present present -> "present";
            case CliqueState.None none -> "none";
            case CliqueState.Registering registering -> "registering";
            case CliqueState.Failed failed -> "failed";
            case CliqueState.Conflicting conflicting -> "conflicting";
            case CliqueState.Unknown unknown -> "unknown";
        };
    }
}
