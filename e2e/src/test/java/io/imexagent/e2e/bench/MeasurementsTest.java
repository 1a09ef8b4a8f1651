package io.imexagent.e2e.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.ProcessUsage;
import io.imexagent.testing.api.object.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class MeasurementsTest {

    private static final Measurements MEASURED = new Measurements(
            of(1, 2, 9),
            of(1),
            of(0.5),
            of(10),
            of(25),
            of(200),
            of(500),
            of(1),
            1.25,
            new ProcessUsage(100 * 1024, 90 * 1024, 50 * 1024, Duration.ofSeconds(1), Duration.ZERO),
            new ProcessUsage(140 * 1024, 91 * 1024, 51 * 1024, Duration.ofSeconds(2), Duration.ZERO),
            Optional.of(new InstalledFigures(
                    of(380, 390, 400), of(240), of(245), 10, 102_400, 0.003, 0.0015, 44L * 1024 * 1024)));

    @Test
    void makesTheDocumentThatWasAgreed() {
        assertThat(new String(Json.bytes(MEASURED.document()), StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"prepare_ms\":{\"p50\":2.000,\"p99\":9.000},"
                                + "\"unprepare_ms\":{\"p50\":1.000,\"p99\":1.000},"
                                + "\"repeat_ms\":{\"p50\":0.500,\"p99\":0.500},"
                                + "\"first_call_ms\":10.000,\"batch100_ms\":25.000,\"cpu_ms_per_cycle\":1.250,"
                                + "\"to_sockets_ms\":200.000,\"to_slice_ms\":500.000,"
                                + "\"rss_mb\":{\"idle\":100.000,\"after_3000\":140.000},"
                                + "\"pss_mb\":{\"idle\":90.000,\"after_3000\":91.000},\"floor_ms\":1.000,"
                                + "\"installed\":{\"ready_ms\":390.000,\"gate_ms\":240.000,\"gate_by_nvml_ms\":245.000,\"idle_minutes\":10,"
                                + "\"rss_mb\":100.000,\"young_cpu_percent\":0.300,\"idle_cpu_percent\":0.150,\"package_mb\":44.000}}");
    }

    @Test
    void holdsWhatWasReachedAgainstTheTargets() {
        List<String> lines = new ArrayList<>();

        Targets.print(MEASURED, lines::add);

        assertThat(lines).anyMatch(line -> line.startsWith("prepare p50, ms") && line.endsWith(" met"));
        assertThat(lines).anyMatch(line -> line.startsWith("prepare p50 / floor") && line.contains(" 2.000  <= 2"));
        assertThat(lines).anyMatch(line -> line.startsWith("RSS after") && line.endsWith(" MISSED"));
        assertThat(lines).anyMatch(line -> line.startsWith("growth of RSS") && line.endsWith(" MISSED"));
        assertThat(lines).anyMatch(line -> line.startsWith("installed: to READY") && line.endsWith(" met"));
        assertThat(lines).anyMatch(line -> line.startsWith("installed: RSS, 10 min, MB") && line.endsWith(" met"));
        assertThat(lines)
                .anyMatch(line -> line.startsWith("installed: idle, first 10 min, %") && line.endsWith(" MISSED"));
        assertThat(lines).anyMatch(line -> line.startsWith("installed: idle, next 10 min, %") && line.endsWith(" met"));
        assertThat(lines).anyMatch(line -> line.startsWith("package, MB") && line.contains("44.000  <= 60"));
    }

    private static Samples of(double... milliseconds) {
        Samples samples = new Samples();
        for (double value : milliseconds) {
            samples.add((long) (value * 1e6));
        }
        return samples;
    }
}
