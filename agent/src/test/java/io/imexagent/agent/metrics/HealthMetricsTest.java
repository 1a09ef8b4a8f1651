package io.imexagent.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.GpuHealth.FabricBit;
import io.imexagent.core.inventory.GpuHealth.Weight;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.health.QueryResult;
import io.imexagent.imex.watch.Healths;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** nvidia-imex and the GPUs' health as metrics. */
class HealthMetricsTest {

    private final Meters meters = new Meters();
    private final AtomicInteger lookedAfter = new AtomicInteger();
    private final ImexMetrics imex = new ImexMetrics(meters, lookedAfter::incrementAndGet);
    private final InventoryMetrics gpus = new InventoryMetrics(meters);

    /** The series on the page by the values of their labels, durations by their sum. */
    private Map<List<String>, Double> values(Metric metric) {
        String name = metric.series + (metric.kind == Metric.MetricType.SUMMARY ? "_sum" : "");
        return meters.page()
                .lines()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .collect(Collectors.toMap(
                        line -> metric.labels.stream()
                                .map(label -> line.replaceFirst(".*[{,]" + label + "=\"([^\"]*)\".*", "$1"))
                                .toList(),
                        line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1))));
    }

    @Test
    void oneStateIsOneAndTheOthersZero() {
        imex.checked(Healths.degraded(), Duration.ofMillis(20));

        assertThat(values(Metric.IMEX_DAEMON_STATE))
                .hasSize(15)
                .containsEntry(List.of("ready"), 1.0)
                .containsEntry(List.of("masked"), 0.0);
        assertThat(values(Metric.IMEX_DOMAIN_STATE))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        List.of("unknown"), 0.0,
                        List.of("up"), 0.0,
                        List.of("degraded"), 1.0,
                        List.of("down"), 0.0));
        assertThat(values(Metric.IMEX_LAST_CHECK_TIMESTAMP_SECONDS))
                .containsEntry(List.of(), Healths.AT.getEpochSecond() * 1.0);
        assertThat(values(Metric.IMEX_CHECK_DURATION_SECONDS)).containsEntry(List.of(), 0.02);
        assertThat(lookedAfter).hasValue(1);
    }

    @Test
    void nodesAndConnectionsAreCountedByStateAndNoneToItself() {
        imex.checked(Healths.degraded(), Duration.ofMillis(20));

        assertThat(values(Metric.IMEX_NODES))
                .hasSize(9)
                .containsEntry(List.of("ready"), 2.0)
                .containsEntry(List.of("unavailable"), 1.0)
                .containsEntry(List.of("unlisted"), 0.0);
        assertThat(values(Metric.IMEX_CONNECTIONS))
                .hasSize(11)
                .containsEntry(List.of("connected"), 2.0)
                .containsEntry(List.of("never_connected"), 4.0);
    }

    @Test
    void whatNobodyTellsHasNoSeriesAndIsCounted() {
        imex.checked(Healths.up(), Duration.ofMillis(20));
        imex.checked(Healths.unknown(), Duration.ofSeconds(5));
        imex.failed("defect");

        assertThat(values(Metric.IMEX_NODES)).isEmpty();
        assertThat(values(Metric.IMEX_CONNECTIONS)).isEmpty();
        assertThat(values(Metric.IMEX_CHECK_FAILURES_TOTAL))
                .containsExactlyInAnyOrderEntriesOf(Map.of(List.of("unknown"), 1.0, List.of("defect"), 1.0));
    }

    @Test
    void aLookThatBringsNoAnswerLeavesTheTimeOfTheLastOneThatDid() {
        imex.checked(Healths.unknown(), Duration.ofSeconds(5));
        assertThat(values(Metric.IMEX_LAST_CHECK_TIMESTAMP_SECONDS)).isEmpty();

        Map<List<String>, Double> answered = Map.of(List.of(), Healths.AT.getEpochSecond() * 1.0);
        imex.checked(Healths.down(), Duration.ofMillis(20));
        for (QueryResult.Failure failure : List.of(QueryResult.Failure.FLOODED, QueryResult.Failure.UNREADABLE)) {
            imex.checked(Healths.domainNotTold(Healths.AT.plusSeconds(60), failure), Duration.ofMillis(20));
            assertThat(values(Metric.IMEX_LAST_CHECK_TIMESTAMP_SECONDS)).isEqualTo(answered);
        }
        assertThat(values(Metric.IMEX_CHECK_FAILURES_TOTAL)).containsEntry(List.of("domain_unknown"), 2.0);
    }

    @Test
    void everyBitOfTheHealthMaskHasItsNameAndItsValue() {
        gpus.show(inventory(new GpuHealth(
                List.of(
                        new FabricBit("degraded_bandwidth", "yes", Weight.DEGRADED),
                        new FabricBit("route_recovery", "not_supported", Weight.GOOD),
                        new FabricBit("incorrect_configuration", "none", Weight.GOOD)),
                Optional.of("limited_capacity"),
                Optional.of("drain_and_reset"))));

        assertThat(values(Metric.GPU_FABRIC_STATE)).containsOnlyKeys(List.of("0", "registered"));
        assertThat(values(Metric.GPU_FABRIC_HEALTH))
                .containsOnlyKeys(
                        List.of("0", "degraded_bandwidth", "yes"), List.of("0", "incorrect_configuration", "none"));
        assertThat(values(Metric.GPU_FABRIC_OVERALL_HEALTH)).containsOnlyKeys(List.of("0", "limited_capacity"));
        assertThat(values(Metric.GPU_RECOVERY_ACTION)).containsOnlyKeys(List.of("0", "drain_and_reset"));
    }

    @Test
    void numbersWithoutANameShareALabel() {
        gpus.show(inventory(new GpuHealth(List.of(), Optional.of("summary_200"), Optional.of("action_123456789"))));

        assertThat(values(Metric.GPU_FABRIC_OVERALL_HEALTH)).containsOnlyKeys(List.of("0", "other"));
        assertThat(values(Metric.GPU_RECOVERY_ACTION)).containsOnlyKeys(List.of("0", "other"));
    }

    @Test
    void whatIsGoneHasNoSeries() {
        gpus.show(inventory(new GpuHealth(List.of(), Optional.of("healthy"), Optional.of("reset"))));
        gpus.show(inventory(GpuHealth.UNTOLD));

        assertThat(values(Metric.GPU_FABRIC_OVERALL_HEALTH)).isEmpty();
        assertThat(values(Metric.GPU_RECOVERY_ACTION)).isEmpty();
    }

    @Test
    void xidsAreCountedByNumberAndStrangeOnesTogether() {
        gpus.listening(true);
        gpus.xid("1", 79);
        gpus.xid("1", 79);
        gpus.xid("2", 4096);
        gpus.xid("2", -1);

        assertThat(values(Metric.GPU_XID_ERRORS_TOTAL))
                .containsExactlyInAnyOrderEntriesOf(Map.of(List.of("1", "79"), 2.0, List.of("2", "other"), 2.0));
        assertThat(values(Metric.GPU_EVENTS_HEARD)).containsEntry(List.of(), 1.0);
    }

    private static FakeInventory inventory(GpuHealth health) {
        Gpu gpu = Inventories.gpu("NVIDIA GB200");
        return new FakeInventory(Inventories.with(
                Inventories.gb200(),
                List.of(new Gpu(gpu.index(), gpu.name(), gpu.uuid(), gpu.pci(), gpu.fabric(), health))));
    }
}
