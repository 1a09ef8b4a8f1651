package io.imexagent.agent.metrics;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.probe.GpuEventWatch.GpuEventObserver;
import io.imexagent.imex.probe.InventorySource;
import io.micrometer.core.instrument.Counter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The inventory and GPU events as metrics. Labels have few values: a node has four GPUs, a health mask seven bits. */
final class InventoryMetrics implements GpuEventObserver {

    /** NVIDIA's list of Xids ends below; larger Xids of a driver must not create unlimited series. */
    private static final long LARGEST_XID = 255;

    private final Meters meters;
    private final Counter changes;
    private Optional<NodeInventory> shown = Optional.empty();
    private volatile boolean listens;

    InventoryMetrics(Meters meters) {
        this.meters = meters;
        this.changes = meters.counter(Metric.INVENTORY_CHANGES_TOTAL);
        meters.gauge(Metric.GPU_EVENTS_HEARD, () -> listens ? 1 : 0);
    }

    /** Shows the source's present inventory, and counts it if its content has changed. */
    synchronized void show(InventorySource source) {
        NodeInventory inventory = source.current();
        if (shown.isPresent() && !shown.get().hasSameContentAs(inventory)) {
            changes.increment();
        }
        shown = Optional.of(inventory);
        List<String> clique = List.of(inventory.clique().text());
        boolean present = inventory.clique() instanceof CliqueState.KnownClique;
        meters.count(Metric.CLIQUE_INFO, present ? Stream.of(clique) : Stream.of());
        meters.count(Metric.CLIQUE_STATE, Stream.of(present ? List.of("present") : clique));
        meters.rows(
                Metric.CHANNEL_MAJOR,
                inventory.channelMajor() instanceof ChannelMajor.RegisteredMajor registered
                        ? Map.of(List.of(), (double) registered.major())
                        : Map.of());
        meters.findings(Metric.FINDINGS, inventory.findings());
        meters.rows(Metric.SIMULATED, Map.of(List.of(), inventory.simulated() ? 1.0 : 0.0));
        show(inventory.gpus());
    }

    private void show(List<Gpu> gpus) {
        meters.count(Metric.GPUS, gpus.stream().map(gpu -> List.of(name(gpu))));
        show(Metric.GPU_FABRIC_STATE, gpus, gpu -> Stream.of(List.of(state(gpu.fabric()))));
        show(Metric.GPU_FABRIC_HEALTH, gpus, InventoryMetrics::bits);
        show(
                Metric.GPU_FABRIC_OVERALL_HEALTH,
                gpus,
                gpu -> gpu.health().summary().map(InventoryMetrics::named).stream());
        show(
                Metric.GPU_RECOVERY_ACTION,
                gpus,
                gpu -> gpu.health().recoveryAction().map(InventoryMetrics::named).stream());
    }

    private void show(Metric metric, List<Gpu> gpus, Function<Gpu, Stream<List<String>>> values) {
        meters.count(
                metric,
                gpus.stream()
                        .flatMap(gpu -> values.apply(gpu)
                                .map(labels -> Stream.concat(Stream.of(Integer.toString(gpu.index())), labels.stream())
                                        .toList()))
                        .distinct());
    }

    /** Values without a name end in a number; all of them become {@code other}, so that labels stay few. */
    private static List<String> named(String word) {
        return List.of(Character.isDigit(word.charAt(word.length() - 1)) ? "other" : word);
    }

    private static Stream<List<String>> bits(Gpu gpu) {
        return gpu.health().fabric().stream()
                .filter(bit -> !bit.value().equals("not_supported"))
                .map(bit -> List.of(bit.name(), bit.value()));
    }

    @Override
    public void listening(boolean now) {
        listens = now;
    }

    @Override
    public void xid(String gpu, long number) {
        String xid = number >= 0 && number <= LARGEST_XID ? Long.toString(number) : "other";
        meters.increment(Metric.GPU_XID_ERRORS_TOTAL, gpu, xid);
    }

    private static String name(Gpu gpu) {
        return gpu.name().isEmpty() ? "unreadable" : gpu.name();
    }

    private static String state(Gpu.GpuFabric fabric) {
        return switch (fabric) {
            case Gpu.GpuFabric.NoFabric _ -> "not_supported";
            case Gpu.GpuFabric.FabricRegistering _ -> "registering";
            case Gpu.GpuFabric.FabricRegistered _ -> "registered";
            case Gpu.GpuFabric.FabricFailed _ -> "failed";
            case Gpu.GpuFabric.FabricUnknown _ -> "unknown";
        };
    }
}
