package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.function.Consumer;

/** The aims of the benchmark, beside what a document of it says was reached. */
public final class Targets {

    /**
     * What is measured, where a document has it, and the aim. Memory and processor time of the installed agent are those
     * of N idle minutes. The aim for the growth of RSS is none: the figures have a noise of about 1 MB.
     */
    private static final String AIMS = """
            prepare p50 / floor                 | /prepare_ms/over_floor       | 1.5
            the same, calls 1 to 50             | /cold_prepare_ms/over_floor  | 2.5
            prepare p99 / p50                   | /prepare_ms/p99_over_p50     | 2
            longest of the first 50, ms         | /cold_longest_ms             | 20
            unprepare p50 / a replacement       | /unprepare_ms/over_replace   | 1.5
            processor per cycle, first 200, ms  | /cold_cpu_ms_per_cycle       | 5
            processor per cycle, ms             | /cpu_ms_per_cycle            | 2.5
            to sockets, ms                      | /to_sockets_ms               | 200
            to slice, ms                        | /to_slice_ms                 | 450
            RSS idle, MB                        | /rss_mb/idle                 | 80
            RSS after all cycles, MB            | /rss_mb/after_3000           | 85
            growth of RSS after the first 200   | /rss_mb/growth               | 1
            installed: to READY, ms             | /installed/ready_ms          | 400
            installed: gate, ms                 | /installed/gate_ms           | 250
            installed: gate by NVML, ms         | /installed/gate_by_nvml_ms   | 250
            installed: RSS, N min, MB           | /installed/rss_mb            | 120
            installed: idle, first N min, %     | /installed/young_cpu_percent | 0.1
            installed: idle, next N min, %      | /installed/idle_cpu_percent  | 0.1
            installed, MB                       | /installed/installed_mb      | 120
            package, MB                         | /installed/package_mb        | 40
            """;

    private Targets() {}

    /** Prints a line for each aim whose figure was measured. */
    public static void print(JsonNode measured, Consumer<String> out) {
        ObjectNode document = measured.deepCopy();
        derive(document, "/prepare_ms/over_floor", "/prepare_ms/p50", "/floor_ms");
        derive(document, "/prepare_ms/p99_over_p50", "/prepare_ms/p99", "/prepare_ms/p50");
        derive(document, "/cold_prepare_ms/over_floor", "/cold_prepare_ms/p50", "/cold_floor_ms");
        derive(document, "/unprepare_ms/over_replace", "/unprepare_ms/p50", "/replace_ms");
        double growth = document.at("/rss_mb/after_3000").asDouble()
                - document.at("/rss_mb/after_200").asDouble();
        document.withObject("/rss_mb").put("growth", growth);
        String minutes = document.at("/installed/idle_minutes").asText();
        out.accept("target                                  reached     aim");
        AIMS.replace("N min", minutes + " min")
                .lines()
                .map(line -> line.split(" +[|] +", -1))
                .filter(aim -> document.at(aim[1]).isNumber())
                .forEach(aim -> out.accept(line(aim[0], document.at(aim[1]).asDouble(), aim[2])));
    }

    private static void derive(ObjectNode document, String result, String dividend, String divisor) {
        int name = result.lastIndexOf('/');
        document.withObject(result.substring(0, name))
                .put(
                        result.substring(name + 1),
                        document.at(dividend).asDouble() / document.at(divisor).asDouble());
    }

    private static String line(String what, double reached, String aim) {
        String outcome = reached <= Double.parseDouble(aim) ? "met" : "MISSED";
        return String.format(Locale.ROOT, "%-36s %10.3f  <= %-5s %s", what, reached, aim, outcome);
    }
}
