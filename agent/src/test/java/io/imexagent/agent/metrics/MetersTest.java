package io.imexagent.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetersTest {

    private final Meters meters = new Meters();

    @Test
    void hasThePublicDriversBuckets() {
        assertThat(Meters.Durations.bounds())
                .containsExactly(0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, Double.POSITIVE_INFINITY);
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 0", "PT0.05S, 0", "PT0.050000001S, 1", "PT0.1S, 1", "PT12.8S, 8", "PT12.9S, 9", "P7D, 9"})
    void countsADurationInTheFirstBucketThatHoldsIt(Duration took, int bucket) {
        var durations = meters.durations(MetricCatalogue.REQUEST_DURATION, "driver", "prepare");

        durations.record(took);

        assertThat(durations.counts()[bucket]).isEqualTo(1);
        assertThat(durations.counts()).hasSize(10);
        assertThat(durations.seconds()).isEqualTo(took.toNanos() / 1e9);
    }

    @Test
    void givesTheSameCounterForTheSameLabels() {
        meters.counter(MetricCatalogue.LANE_REJECTED, "nvml").increment();
        meters.counter(MetricCatalogue.LANE_REJECTED, "nvml").increment();
        meters.counter(MetricCatalogue.LANE_REJECTED, "claims").increment();

        assertThat(meters.counter(MetricCatalogue.LANE_REJECTED, "nvml").value())
                .isEqualTo(2);
    }

    @Test
    void refusesLabelsThatTheCatalogueDoesNotName() {
        assertThatThrownBy(() -> meters.counter(MetricCatalogue.LANE_REJECTED))
                .hasMessageContaining("imex_agent_lane_rejected_total")
                .hasMessageContaining("lane");
        assertThatThrownBy(() -> meters.gauge(MetricCatalogue.CHANNEL_MAJOR, () -> 1, "surplus"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesToMeasureWhatIsCounted() {
        meters.counter(MetricCatalogue.LANE_REJECTED, "nvml");

        assertThatThrownBy(() -> meters.durations(MetricCatalogue.LANE_REJECTED, "nvml"))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void keepsNoRowThatIsNotThereAnyMore() {
        meters.rows(MetricCatalogue.GPUS, Map.of(List.of("NVIDIA GB200"), 4.0, List.of("NVIDIA B200"), 1.0));

        meters.rows(MetricCatalogue.GPUS, Map.of(List.of("NVIDIA GB200"), 3.0));

        assertThat(meters.of(MetricCatalogue.GPUS)).containsOnlyKeys(List.of("NVIDIA GB200"));
    }
}
