package io.imexagent.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class StatusClientTest {

    @Test
    void readsValuesBySeries() {
        Map<String, Double> page = StatusClient.series("""
                # HELP nvidia_dra_requests_total Requests.
                # TYPE nvidia_dra_requests_total counter
                nvidia_dra_requests_total{driver="a b",operation="prepare"} 3.0
                plain 1.5E-4
                histogram_bucket{le="+Inf"} +Inf
                """);

        assertThat(page)
                .containsOnly(
                        entry("nvidia_dra_requests_total{driver=\"a b\",operation=\"prepare\"}", 3.0),
                        entry("plain", 0.00015),
                        entry("histogram_bucket{le=\"+Inf\"}", Double.POSITIVE_INFINITY));
    }

    @Test
    void tellsWhatChangedAndWhatIsNew() {
        Map<String, Double> before = Map.of("still", 1.0, "moving", 1.0, "gone", 1.0);
        Map<String, Double> now = Map.of("still", 1.0, "moving", 2.0, "fresh", 0.0);

        assertThat(StatusClient.changed(before, now)).isEqualTo(Map.of("moving", 2.0, "fresh", 0.0));
    }
}
