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
            prepare p50, ms              | /prepare_ms/p50              | 3
            prepare p99, ms              | /prepare_ms/p99              | 10
            prepare p50 / floor          | /prepare_ms/over_floor       | 2
            unprepare p50, ms            | /unprepare_ms/p50            | 1.5
            first call, ms               | /first_call_ms               | 50
            processor per cycle, ms      | /cpu_ms_per_cycle            | 3
            to sockets, ms               | /to_sockets_ms               | 350
            to slice, ms                 | /to_slice_ms                 | 800
            RSS idle, MB                 | /rss_mb/idle                 | 130
            RSS after all cycles, MB     | /rss_mb/after_3000           | 130
            growth of RSS, MB            | /rss_mb/growth               | 1
            installed: to READY, ms      | /installed/ready_ms          | 400
            installed: gate, ms          | /installed/gate_ms           | 250
            installed: gate by NVML, ms  | /installed/gate_by_nvml_ms   | 250
            installed: RSS, N min, MB    | /installed/rss_mb            | 120
            installed: idle, first N min, % | /installed/young_cpu_percent | 0.2
            installed: idle, next N min, %  | /installed/idle_cpu_percent  | 0.2
            package, MB                  | /installed/package_mb        | 60
            """;

    private Targets() {}

    /** Prints a line for each aim whose figure was measured. */
    public static void print(JsonNode measured, Consumer<String> out) {
        ObjectNode document = measured.deepCopy();
        double prepare = document.at("/prepare_ms/p50").asDouble();
        double growth = document.at("/rss_mb/after_3000").asDouble()
                - document.at("/rss_mb/idle").asDouble();
        document.withObject("/prepare_ms")
                .put("over_floor", prepare / document.path("floor_ms").asDouble());
        document.withObject("/rss_mb").put("growth", growth);
        String minutes = document.at("/installed/idle_minutes").asText();
        out.accept("target                                reached     aim");
        AIMS.replace("N min", minutes + " min")
                .lines()
                .map(line -> line.split(" +[|] +", -1))
                .filter(aim -> document.at(aim[1]).isNumber())
                .forEach(aim -> out.accept(line(aim[0], document.at(aim[1]).asDouble(), aim[2])));
    }

    private static String line(String what, double reached, String aim) {
        String outcome = reached <= Double.parseDouble(aim) ? "met" : "MISSED";
        return String.format(Locale.ROOT, "%-34s %10.3f  <= %-5s %s", what, reached, aim, outcome);
    }
}
