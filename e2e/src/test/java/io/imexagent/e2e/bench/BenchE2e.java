package io.imexagent.e2e.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The benchmark with the built agent, on few cycles: what it says, not how fast anything is. */
final class BenchE2e {

    @Test
    void fillsEveryKeyWithANumber() throws Exception {
        List<String> progress = new ArrayList<>();

        BenchOptions options = CommandLine.populateCommand(
                new BenchOptions(),
                "--starts=1",
                "--warm-up=5",
                "--cycles=10",
                "--total=20",
                "--idle=1",
                "--young=60",
                "--brief");

        ObjectNode document;
        try (Bench bench = new Bench(options, progress::add)) {
            document = bench.measure();
        }

        List<String> expected = new ArrayList<>(List.of(
                "/prepare_ms/p50",
                "/prepare_ms/p99",
                "/prepare_ms/longest",
                "/unprepare_ms/p50",
                "/unprepare_ms/p99",
                "/unprepare_ms/longest",
                "/cold_prepare_ms/p50",
                "/cold_prepare_ms/p99",
                "/cold_prepare_ms/longest",
                "/cold_unprepare_ms/p50",
                "/cold_unprepare_ms/p99",
                "/cold_unprepare_ms/longest",
                "/repeat_ms/p50",
                "/repeat_ms/p99",
                "/repeat_ms/longest",
                "/first_call_ms",
                "/cold_longest_ms",
                "/batch100_ms",
                "/cpu_ms_per_cycle",
                "/cold_cpu_ms_per_cycle",
                "/to_sockets_ms",
                "/to_slice_ms",
                "/api_calls/domain_unknown",
                "/api_calls/domain_known",
                "/first_steps/waits",
                "/first_steps/allocated_kb",
                "/fiftieth_steps/waits",
                "/fiftieth_steps/allocated_kb",
                "/threads",
                "/rss_mb/idle",
                "/rss_mb/after_200",
                "/rss_mb/after_3000",
                "/pss_mb/idle",
                "/pss_mb/after_200",
                "/pss_mb/after_3000",
                "/floor_ms",
                "/replace_ms",
                "/cold_floor_ms",
                "/private_mb/idle",
                "/private_mb/after_200",
                "/private_mb/after_3000",
                "/file_mb/idle",
                "/file_mb/after_200",
                "/file_mb/after_3000",
                "/cold_replace_ms"));
        if (document.remove("agent").asText().equals("HotSpot")) {
            expected.addAll(List.of("/classes", "/first_steps/classes", "/fiftieth_steps/classes"));
        }
        assertThat(pathsOf(document))
                .containsExactlyInAnyOrderElementsOf(expected)
                // Processor time is told in steps of 10 ms, so that a few cycles may take none; a call may load no
                // class.
                .allSatisfy(path -> assertThat(document.at(path).decimalValue())
                        .as(path)
                        .isGreaterThan(
                                path.contains("cpu_") || path.contains("_steps/")
                                        ? BigDecimal.valueOf(-1)
                                        : BigDecimal.ZERO));
        assertThat(document.at("/api_calls").toString()).isEqualTo("{\"domain_unknown\":2,\"domain_known\":1}");
        assertThat(progress).isNotEmpty();
    }

    /** The paths of its numbers, but for those of an installed agent, which are there where a package is. */
    private static List<String> pathsOf(ObjectNode document) {
        List<String> paths = new ArrayList<>();
        document.properties().forEach(entry -> {
            String path = "/" + entry.getKey();
            if (entry.getValue().isObject()) {
                entry.getValue().fieldNames().forEachRemaining(name -> paths.add(path + "/" + name));
            } else {
                paths.add(path);
            }
        });
        paths.removeIf(path -> path.startsWith("/installed/"));
        return paths;
    }
}
