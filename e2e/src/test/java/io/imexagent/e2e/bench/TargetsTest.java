package io.imexagent.e2e.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TargetsTest {

    private static final ObjectNode MEASURED = Json.literal("""
            {"prepare_ms":{"p50":2.000,"p99":9.000},"unprepare_ms":{"p50":1.000,"p99":1.000},
             "cold_prepare_ms":{"p50":4.000,"p99":9.000},"cold_longest_ms":12.000,"cold_cpu_ms_per_cycle":6.000,
             "repeat_ms":{"p50":0.500,"p99":0.500},"first_call_ms":10.000,"batch100_ms":25.000,
             "cpu_ms_per_cycle":1.250,"to_sockets_ms":200.000,"to_slice_ms":500.000,
             "rss_mb":{"idle":70.000,"after_200":80.000,"after_3000":90.000},
             "floor_ms":1.600,"cold_floor_ms":2.000,"replace_ms":0.800,
             "installed":{"ready_ms":390.000,"gate_ms":240.000,"gate_by_nvml_ms":245.000,"idle_minutes":10,
              "rss_mb":100.000,"young_cpu_percent":0.300,"idle_cpu_percent":0.090,"installed_mb":203.000,
              "package_mb":39.000}}""");

    @Test
    void holdsAnImageAgainstItsAims() {
        List<String> lines = print(MEASURED.deepCopy().put("agent", "native image"));

        assertThat(lines)
                .hasSize(12)
                .startsWith("target, native image")
                .anyMatch(line -> line.startsWith("prepare p50 / floor") && line.endsWith(" 1.250  <= 1.7   met"))
                .anyMatch(line -> line.startsWith("the same, calls 1 to 50") && line.endsWith(" 2.000  <= 2     met"))
                .anyMatch(line -> line.startsWith("to sockets") && line.endsWith("200.000  <= 60    MISSED"))
                .anyMatch(line -> line.startsWith("growth of RSS") && line.endsWith("10.000  <= 1     MISSED"))
                .anyMatch(line -> line.startsWith("installed: RSS, 10 min, MB") && line.endsWith(" MISSED"))
                .anyMatch(line -> line.startsWith("installed: idle, first 10 min, %") && line.endsWith(" MISSED"))
                .anyMatch(line -> line.startsWith("installed: idle, next 10 min, %") && line.endsWith(" met"))
                .anyMatch(line -> line.startsWith("installed, MB") && line.endsWith(" MISSED"))
                .anyMatch(line -> line.startsWith("package, MB") && line.endsWith("39.000  <= 25    MISSED"));
    }

    @Test
    void holdsHotSpotAgainstItsLowerBar() {
        assertThat(print(MEASURED))
                .isEqualTo(print(MEASURED.deepCopy().put("agent", "HotSpot")))
                .hasSize(6)
                .startsWith("target, HotSpot")
                .anyMatch(line -> line.startsWith("first call") && line.endsWith(" 10.000  <= 80    met"))
                .anyMatch(line -> line.startsWith("to sockets") && line.endsWith("200.000  <= 600   met"))
                .anyMatch(line -> line.startsWith("RSS after") && line.endsWith(" 90.000  <= 130   met"));
    }

    @Test
    void saysNothingOfAnAgentThatIsNotInstalled() {
        ObjectNode document = MEASURED.deepCopy().put("agent", "native image");
        document.remove("installed");

        assertThat(print(document)).hasSize(7).noneMatch(line -> line.startsWith("installed"));
    }

    private static List<String> print(ObjectNode document) {
        List<String> lines = new ArrayList<>();
        Targets.print(document, lines::add);
        return lines;
    }
}
