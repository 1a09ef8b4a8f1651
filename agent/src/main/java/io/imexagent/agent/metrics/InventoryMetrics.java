package io.imexagent.agent.metrics;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.NodeInventory;
import io.micrometer.core.instrument.Counter;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** The inventory as metrics. */
final class InventoryMetrics {

    private final AtomicReference<NodeInventory> latest = new AtomicReference<>();
    private final Counter changes;
    private final Meters.Rows gpus;
    private final Meters.Rows clique;
    private final Meters.Rows cliqueState;
    private final Meters.Rows major;
    private final Meters.Rows findings;

    InventoryMetrics(Meters meters) {
        changes = meters.counter(MetricCatalogue.INVENTORY_CHANGES);
        gpus = meters.rows(MetricCatalogue.GPUS);
        clique = meters.rows(MetricCatalogue.CLIQUE);
        cliqueState = meters.rows(MetricCatalogue.CLIQUE_STATE);
        major = meters.rows(MetricCatalogue.CHANNEL_MAJOR);
        findings = meters.rows(MetricCatalogue.FINDINGS);
    }

    void changed(NodeInventory inventory) {
        if (latest.getAndSet(inventory) != null) {
            changes.increment();
        }
        gpus.set(inventory.gpus().stream()
                .collect(Collectors.groupingBy(InventoryMetrics::name, TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(named -> new Meters.Row(List.of(named.getKey()), named.getValue()))
                .toList());
        clique.set(
                inventory.clique() instanceof CliqueState.Present present
                        ? List.of(new Meters.Row(List.of(present.id().text()), 1))
                        : List.of());
        cliqueState.set(List.of(new Meters.Row(List.of(state(inventory.clique())), 1)));
        major.set(
                inventory.channelMajor() instanceof ChannelMajor.Registered registered
                        ? List.of(new Meters.Row(List.of(), registered.major()))
                        : List.of());
        findings.set(inventory.findings().stream()
                .map(finding ->
                        List.of(finding.code(), finding.severity().name().toLowerCase(Locale.ROOT)))
                .distinct()
                .map(labels -> new Meters.Row(labels, 1))
                .toList());
    }

    /** The age of an inventory in seconds. */
    static double age(NodeInventory inventory, Clock clock) {
        return Duration.between(inventory.takenAt(), clock.instant()).toMillis() / 1000.0;
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
