package io.imexagent.testkit.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The benchmark with the built agent, on few cycles: what it says, not how fast anything is. */
final class BenchIT {

    @Test
    void fillsEveryKeyWithANumber() throws Exception {
        List<String> progress = new ArrayList<>();

        ObjectNode document;
        try (Bench bench = Bench.prepare(new BenchOptions(1, 5, 10, 20, 1, 1), progress::add)) {
            document = bench.measure().document();
        }

        assertThat(List.of(
                        "/prepare_ms/p50",
                        "/prepare_ms/p99",
                        "/unprepare_ms/p50",
                        "/unprepare_ms/p99",
                        "/repeat_ms/p50",
                        "/repeat_ms/p99",
                        "/first_call_ms",
                        "/batch100_ms",
                        "/to_sockets_ms",
                        "/to_slice_ms",
                        "/rss_mb/idle",
                        "/rss_mb/after_3000",
                        "/pss_mb/idle",
                        "/pss_mb/after_3000",
                        "/floor_ms"))
                .allSatisfy(key ->
                        assertThat(document.at(key).decimalValue()).as(key).isPositive());
        assertThat(document.path("cpu_ms_per_cycle").isNumber()).isTrue();
        assertThat(progress).isNotEmpty();
    }
}
