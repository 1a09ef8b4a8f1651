package io.imexagent.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class MetricsPageTest {

    @Test
    void readsValuesBySeries() {
        MetricsPage page = MetricsPage.parse("""
                # HELP nvidia_dra_requests_total Requests.
                # TYPE nvidia_dra_requests_total counter
                nvidia_dra_requests_total{driver="a b",operation="prepare"} 3.0
                plain 1.5E-4
                histogram_bucket{le="+Inf"} +Inf
                """);

        assertThat(page.value("nvidia_dra_requests_total{driver=\"a b\",operation=\"prepare\"}"))
                .hasValue(3);
        assertThat(page.value("plain")).hasValue(0.00015);
        assertThat(page.value("histogram_bucket{le=\"+Inf\"}")).hasValue(Double.POSITIVE_INFINITY);
        assertThat(page.value("absent")).isEmpty();
    }

    @Test
    void tellsWhatChangedAndWhatIsNew() {
        MetricsPage before = new MetricsPage(Map.of("still", 1.0, "moving", 1.0, "gone", 1.0));
        MetricsPage after = new MetricsPage(Map.of("still", 1.0, "moving", 2.0, "fresh", 0.0));

        assertThat(after.changedSince(before)).isEqualTo(Map.of("moving", 2.0, "fresh", 0.0));
    }
}
