package io.imexagent.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetersTest {

    private final Meters meters = new Meters();

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0.05",
        "PT0.05S, 0.05",
        "PT0.050000001S, 0.1",
        "PT0.1S, 0.1",
        "PT12.8S, 12.8",
        "PT12.9S, +Inf",
        "P7D, +Inf"
    })
    void countsADurationInTheFirstBucketThatHoldsIt(Duration took, String bucket) {
        meters.timer(Metric.NVIDIA_DRA_REQUEST_DURATION_SECONDS, "driver", "prepare")
                .record(took);

        String series = "nvidia_dra_request_duration_seconds_bucket{driver=\"driver\",operation=\"prepare\",le=\"";
        assertThat(page().filter(line -> line.startsWith(series) && line.endsWith("} 1")))
                .first()
                .isEqualTo(series + bucket + "\"} 1");
        assertThat(page())
                .contains("nvidia_dra_request_duration_seconds_sum{driver=\"driver\",operation=\"prepare\"} "
                        + took.toNanos() / 1e9);
    }

    @Test
    void givesTheSameCounterForTheSameLabels() {
        meters.counter(Metric.WORKER_REJECTED_TOTAL, "nvml").increment();
        meters.counter(Metric.WORKER_REJECTED_TOTAL, "nvml").increment();
        meters.counter(Metric.WORKER_REJECTED_TOTAL, "claims").increment();

        assertThat(meters.counter(Metric.WORKER_REJECTED_TOTAL, "nvml").count()).isEqualTo(2);
    }

    @Test
    void refusesLabelsThatTheListDoesNotName() {
        assertThatThrownBy(() -> meters.counter(Metric.WORKER_REJECTED_TOTAL))
                .hasMessageContaining("imex_agent_worker_rejected_total")
                .hasMessageContaining("worker");
        assertThatThrownBy(() -> meters.gauge(Metric.CHANNEL_MAJOR, () -> 1, "surplus"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesToMeasureWhatIsCounted() {
        meters.counter(Metric.WORKER_REJECTED_TOTAL, "nvml");

        assertThatThrownBy(() -> meters.timer(Metric.WORKER_REJECTED_TOTAL, "nvml"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void keepsNoRowThatIsNotThereAnyMore() {
        meters.rows(Metric.GPUS, Map.of(List.of("NVIDIA GB200"), 4.0, List.of("NVIDIA B200"), 1.0));

        meters.rows(Metric.GPUS, Map.of(List.of("NVIDIA GB200"), 3.0));

        assertThat(page().filter(line -> line.startsWith("imex_agent_gpus")))
                .containsExactly("imex_agent_gpus{name=\"NVIDIA GB200\"} 3.0");
    }

    @Test
    void showsNoGaugeThatIsNotANumberButTheOthersOfItsName() {
        meters.gauge(Metric.CONTROLLER_CHANNELS, () -> Double.NaN, "free");
        meters.gauge(Metric.CONTROLLER_CHANNELS, () -> 1, "used");
        meters.gauge(Metric.API_UP, () -> Double.NaN);

        assertThat(page().filter(line -> line.contains("imex_agent_")))
                .containsExactly(
                        "# HELP imex_agent_controller_channels " + Metric.CONTROLLER_CHANNELS.help,
                        "# TYPE imex_agent_controller_channels gauge",
                        "imex_agent_controller_channels{state=\"used\"} 1.0");
    }

    @Test
    void asksGaugesThatNobodyElseHolds() {
        meters.gauge(Metric.GPU_EVENTS_HEARD, new Object() {
            double value() {
                return 7;
            }
        }::value);

        System.gc();

        assertThat(page()).contains("imex_agent_gpu_events_heard 7.0");
    }

    private Stream<String> page() {
        return meters.page().lines();
    }
}
