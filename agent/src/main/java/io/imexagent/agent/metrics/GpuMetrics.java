package io.imexagent.agent.metrics;

import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth.FabricBit;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.probe.GpuEventObserver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The health of the GPUs as metrics. Labels have few values: a node has four GPUs, a mask six bits. */
final class GpuMetrics implements GpuEventObserver {

    /** NVIDIA's list of Xids ends below; a driver that reports others makes no series without end. */
    private static final long LARGEST_XID = 255;

    private final Meters meters;
    private volatile boolean listens;

    GpuMetrics(Meters meters) {
        this.meters = meters;
        meters.gauge(MetricCatalogue.GPU_EVENTS_HEARD, () -> listens ? 1 : 0);
    }

    /** Shows the GPUs of an inventory. */
    void show(NodeInventory inventory) {
        Map<List<String>, Double> states = new HashMap<>();
        Map<List<String>, Double> bits = new HashMap<>();
        Map<List<String>, Double> summaries = new HashMap<>();
        Map<List<String>, Double> actions = new HashMap<>();
        for (Gpu gpu : inventory.gpus()) {
            String index = Integer.toString(gpu.index());
            states.put(List.of(index, state(gpu.fabric())), 1.0);
            for (FabricBit bit : gpu.health().fabric()) {
                if (!bit.value().equals("not_supported")) {
                    bits.put(List.of(index, bit.name(), bit.value()), 1.0);
                }
            }
            gpu.health().summary().ifPresent(summary -> summaries.put(List.of(index, summary), 1.0));
            gpu.health().recoveryAction().ifPresent(action -> actions.put(List.of(index, action), 1.0));
        }
        meters.rows(MetricCatalogue.GPU_FABRIC_STATE, states);
        meters.rows(MetricCatalogue.GPU_FABRIC_HEALTH, bits);
        meters.rows(MetricCatalogue.GPU_FABRIC_SUMMARY, summaries);
        meters.rows(MetricCatalogue.GPU_RECOVERY_ACTION, actions);
    }

    @Override
    public void listening(boolean now) {
        listens = now;
    }

    @Override
    public void xid(String gpu, long number) {
        String xid = number >= 0 && number <= LARGEST_XID ? Long.toString(number) : "other";
        meters.counter(MetricCatalogue.GPU_XIDS, gpu, xid).increment();
    }

    private static String state(Gpu.Fabric fabric) {
        return switch (fabric) {
            case Gpu.Fabric.NotSupported none -> "not_supported";
            case Gpu.Fabric.Registering registering -> "registering";
            case Gpu.Fabric.Registered registered -> "registered";
            case Gpu.Fabric.Failed failed -> "failed";
            case Gpu.Fabric.Unknown unknown -> "unknown";
        };
    }
}
