package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The aims of the benchmark, beside what a document of it says was reached: those of a native image, or the lower bar of the
 * agent on HotSpot, by the document's {@code agent}.
 */
public final class Targets {

    /** The {@code agent} of a document of an agent on HotSpot; a document without one is older, and of such an agent. */
    static final String HOTSPOT = "HotSpot";

    /** The {@code agent} of a document of a native image. */
    static final String IMAGE = "native image";

    private static final String NONE = "-";

    /**
     * What is measured, where a document has it, the bar on HotSpot, and the aim of an image. Memory and processor time of the
     * installed agent are those of N idle minutes. The aim for the growth of RSS is none: the figures have a noise of
     * about 1 MB. Aims that are a share of another driver's figures stand in docs/performance.md.
     */
    private static final String AIMS = """
            prepare p50 / floor                 | /prepare_ms/over_floor       | -   | 1.7
            the same, calls 1 to 50             | /cold_prepare_ms/over_floor  | -   | 2
            first call, ms                      | /first_call_ms               | 80  | -
            to sockets, ms                      | /to_sockets_ms               | 600 | 60
            to slice, ms                        | /to_slice_ms                 | -   | 150
            RSS idle, MB                        | /rss_mb/idle                 | 130 | 60
            RSS after all cycles, MB            | /rss_mb/after_3000           | 130 | -
            growth of RSS after the first 200   | /rss_mb/growth               | -   | 1
            installed: RSS, N min, MB           | /installed/rss_mb            | 130 | 60
            installed: idle, first N min, %     | /installed/young_cpu_percent | -   | 0.1
            installed: idle, next N min, %      | /installed/idle_cpu_percent  | -   | 0.1
            installed, MB                       | /installed/installed_mb      | -   | 80
            package, MB                         | /installed/package_mb        | -   | 25
            """;

    private Targets() {}

    /** Prints a line for each aim whose figure was measured. */
    public static void print(JsonNode measured, Consumer<String> out) {
        ObjectNode document = measured.deepCopy();
        derive(document, "/prepare_ms/over_floor", "/prepare_ms/p50", "/floor_ms");
        derive(document, "/cold_prepare_ms/over_floor", "/cold_prepare_ms/p50", "/cold_floor_ms");
        double growth = document.at("/rss_mb/after_3000").asDouble()
                - document.at("/rss_mb/after_200").asDouble();
        document.withObject("/rss_mb").put("growth", growth);
        String minutes = document.at("/installed/idle_minutes").asText();
        String agent = document.path("agent").asText(HOTSPOT);
        int column = agent.equals(HOTSPOT) ? 2 : 3;
        out.accept("target, " + agent);
        AIMS.replace("N min", minutes + " min")
                .lines()
                .map(line -> line.split(" +[|] +", -1))
                .filter(aim -> !aim[column].equals(NONE) && document.at(aim[1]).isNumber())
                .forEach(aim -> out.accept(line(aim[0], document.at(aim[1]).asDouble(), aim[column])));
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
