package io.imexagent.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.GpuHealth.FabricBit;
import io.imexagent.core.inventory.GpuHealth.Weight;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.health.Answer;
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
    private final GpuMetrics gpus = new GpuMetrics(meters);

    private Map<List<String>, Double> values(MetricCatalogue metric) {
        return meters.of(metric).entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> switch (entry.getValue()) {
                    case Meters.Gauge gauge -> gauge.value().getAsDouble();
                    case Meters.Count count -> (double) count.value();
                    case Meters.Durations durations -> durations.seconds();
                }));
    }

    @Test
    void oneStateIsOneAndTheOthersZero() {
        imex.looked(Healths.degraded(), Duration.ofMillis(20));

        assertThat(values(MetricCatalogue.IMEX_DAEMON_STATE))
                .hasSize(13)
                .containsEntry(List.of("ready"), 1.0)
                .containsEntry(List.of("masked"), 0.0);
        assertThat(values(MetricCatalogue.IMEX_DOMAIN_STATE))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        List.of("not_told"), 0.0,
                        List.of("up"), 0.0,
                        List.of("degraded"), 1.0,
                        List.of("down"), 0.0));
        assertThat(values(MetricCatalogue.IMEX_LAST_CHECK)).containsEntry(List.of(), Healths.AT.getEpochSecond() * 1.0);
        assertThat(values(MetricCatalogue.IMEX_CHECK_DURATION)).containsEntry(List.of(), 0.02);
        assertThat(lookedAfter).hasValue(1);
    }

    @Test
    void nodesAndConnectionsAreCountedByStateAndNoneToItself() {
        imex.looked(Healths.degraded(), Duration.ofMillis(20));

        assertThat(values(MetricCatalogue.IMEX_NODES))
                .hasSize(9)
                .containsEntry(List.of("ready"), 2.0)
                .containsEntry(List.of("unavailable"), 1.0)
                .containsEntry(List.of("unlisted"), 0.0);
        assertThat(values(MetricCatalogue.IMEX_CONNECTIONS))
                .hasSize(11)
                .containsEntry(List.of("connected"), 2.0)
                .containsEntry(List.of("never_connected"), 4.0);
    }

    @Test
    void whatNobodyTellsHasNoSeriesAndIsCounted() {
        imex.looked(Healths.up(), Duration.ofMillis(20));
        imex.looked(Healths.unknown(), Duration.ofSeconds(5));
        imex.failed("defect");

        assertThat(values(MetricCatalogue.IMEX_NODES)).isEmpty();
        assertThat(values(MetricCatalogue.IMEX_CONNECTIONS)).isEmpty();
        assertThat(values(MetricCatalogue.IMEX_CHECK_FAILURES))
                .containsExactlyInAnyOrderEntriesOf(Map.of(List.of("unknown"), 1.0, List.of("defect"), 1.0));
    }

    @Test
    void aLookThatBringsNoAnswerLeavesTheTimeOfTheLastOneThatDid() {
        imex.looked(Healths.unknown(), Duration.ofSeconds(5));
        assertThat(values(MetricCatalogue.IMEX_LAST_CHECK)).isEmpty();

        Map<List<String>, Double> answered = Map.of(List.of(), Healths.AT.getEpochSecond() * 1.0);
        imex.looked(Healths.down(), Duration.ofMillis(20));
        for (Answer.Failure failure : List.of(Answer.Failure.FLOODED, Answer.Failure.UNREADABLE)) {
            imex.looked(Healths.domainNotTold(Healths.AT.plusSeconds(60), failure), Duration.ofMillis(20));
            assertThat(values(MetricCatalogue.IMEX_LAST_CHECK)).isEqualTo(answered);
        }
        assertThat(values(MetricCatalogue.IMEX_CHECK_FAILURES)).containsEntry(List.of("domain_not_told"), 2.0);
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

        assertThat(values(MetricCatalogue.GPU_FABRIC_STATE)).containsOnlyKeys(List.of("0", "registered"));
        assertThat(values(MetricCatalogue.GPU_FABRIC_HEALTH))
                .containsOnlyKeys(
                        List.of("0", "degraded_bandwidth", "yes"), List.of("0", "incorrect_configuration", "none"));
        assertThat(values(MetricCatalogue.GPU_FABRIC_SUMMARY)).containsOnlyKeys(List.of("0", "limited_capacity"));
        assertThat(values(MetricCatalogue.GPU_RECOVERY_ACTION)).containsOnlyKeys(List.of("0", "drain_and_reset"));
    }

    @Test
    void whatIsGoneHasNoSeries() {
        gpus.show(inventory(new GpuHealth(List.of(), Optional.of("healthy"), Optional.of("reset"))));
        gpus.show(inventory(GpuHealth.UNTOLD));

        assertThat(values(MetricCatalogue.GPU_FABRIC_SUMMARY)).isEmpty();
        assertThat(values(MetricCatalogue.GPU_RECOVERY_ACTION)).isEmpty();
    }

    @Test
    void xidsAreCountedByNumberAndStrangeOnesTogether() {
        gpus.listening(true);
        gpus.xid("1", 79);
        gpus.xid("1", 79);
        gpus.xid("2", 4096);
        gpus.xid("2", -1);

        assertThat(values(MetricCatalogue.GPU_XIDS))
                .containsExactlyInAnyOrderEntriesOf(Map.of(List.of("1", "79"), 2.0, List.of("2", "other"), 2.0));
        assertThat(values(MetricCatalogue.GPU_EVENTS_HEARD)).containsEntry(List.of(), 1.0);
    }

    private static NodeInventory inventory(GpuHealth health) {
        Gpu gpu = Inventories.gpu("NVIDIA GB200");
        return Inventories.with(
                Inventories.gb200(),
                List.of(new Gpu(gpu.index(), gpu.name(), gpu.uuid(), gpu.pci(), gpu.fabric(), health)));
    }
}
