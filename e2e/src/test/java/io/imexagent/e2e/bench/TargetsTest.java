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
             "repeat_ms":{"p50":0.500,"p99":0.500},"first_call_ms":10.000,"batch100_ms":25.000,
             "cpu_ms_per_cycle":1.250,"to_sockets_ms":200.000,"to_slice_ms":500.000,
             "rss_mb":{"idle":100.000,"after_3000":140.000},"pss_mb":{"idle":90.000,"after_3000":91.000},
             "floor_ms":1.000,
             "installed":{"ready_ms":390.000,"gate_ms":240.000,"gate_by_nvml_ms":245.000,"idle_minutes":10,
              "rss_mb":100.000,"young_cpu_percent":0.300,"idle_cpu_percent":0.150,"package_mb":44.000}}""");

    @Test
    void holdsWhatWasReachedAgainstTheTargets() {
        List<String> lines = print(MEASURED);

        assertThat(lines).anyMatch(line -> line.startsWith("prepare p50, ms") && line.endsWith(" met"));
        assertThat(lines).anyMatch(line -> line.startsWith("prepare p50 / floor") && line.contains(" 2.000  <= 2"));
        assertThat(lines).anyMatch(line -> line.startsWith("unprepare p50") && line.contains("1.000  <= 1.5"));
        assertThat(lines).anyMatch(line -> line.startsWith("RSS after") && line.endsWith(" MISSED"));
        assertThat(lines).anyMatch(line -> line.startsWith("growth of RSS") && line.endsWith(" MISSED"));
        assertThat(lines).anyMatch(line -> line.startsWith("installed: to READY") && line.endsWith(" met"));
        assertThat(lines).anyMatch(line -> line.startsWith("installed: RSS, 10 min, MB") && line.endsWith(" met"));
        assertThat(lines)
                .anyMatch(line -> line.startsWith("installed: idle, first 10 min, %") && line.endsWith(" MISSED"));
        assertThat(lines).anyMatch(line -> line.startsWith("installed: idle, next 10 min, %") && line.endsWith(" met"));
        assertThat(lines).anyMatch(line -> line.startsWith("package, MB") && line.contains("44.000  <= 60"));
    }

    @Test
    void saysNothingOfAnAgentThatIsNotInstalled() {
        ObjectNode document = MEASURED.deepCopy();
        document.remove("installed");

        assertThat(print(document)).hasSize(12).noneMatch(line -> line.startsWith("installed"));
    }

    private static List<String> print(ObjectNode document) {
        List<String> lines = new ArrayList<>();
        Targets.print(document, lines::add);
        return lines;
    }
}
