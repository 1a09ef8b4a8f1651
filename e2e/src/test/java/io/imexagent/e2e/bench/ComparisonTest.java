package io.imexagent.e2e.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.testing.api.object.Json;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times of calls by the floor of their own run, everything else as it is. */
final class ComparisonTest {

    @Test
    void aMachineThatIsHalfAsFastChangesNoRatio() {
        JsonNode then = Json.literal("""
                {"prepare_ms":{"p50":4.0},"cold_prepare_ms":{"p50":9.0},"floor_ms":2.0,"cold_floor_ms":3.0,"threads":34,
                 "cold_cpu_ms_per_cycle":8.0,"to_slice_ms":600.0,"steps":{"classes":0},
                 "installed":{"gate_ms":100.0}}\
                """);
        JsonNode now = Json.literal("""
                {"prepare_ms":{"p50":8.0},"cold_prepare_ms":{"p50":9.0},"floor_ms":4.0,"cold_floor_ms":6.0,"threads":17,
                 "cold_cpu_ms_per_cycle":4.0,"to_slice_ms":300.0,"classes":8000,"steps":{"classes":0},
                 "installed":{"gate_ms":50.0}}\
                """);
        List<String> lines = new ArrayList<>();

        Comparison.print(then, now, lines::add);

        assertThat(lines)
                .hasSize(10)
                .anyMatch(line -> line.startsWith("prepare_ms/p50 ") && line.endsWith(" 1.00"))
                .anyMatch(line -> line.startsWith("cold_prepare_ms/p50 ") && line.endsWith(" 0.50"))
                .anyMatch(line -> line.startsWith("floor_ms ") && line.endsWith(" 2.00"))
                .anyMatch(line -> line.startsWith("cold_cpu_ms_per_cycle ") && line.endsWith(" 0.50"))
                .anyMatch(line -> line.startsWith("to_slice_ms ") && line.endsWith(" 0.50"))
                .anyMatch(line -> line.startsWith("installed/gate_ms ") && line.endsWith(" 0.50"))
                .anyMatch(line -> line.startsWith("steps/classes ") && line.endsWith(" -"))
                .anyMatch(line -> line.startsWith("threads ") && line.endsWith(" 0.50"));
    }
}
