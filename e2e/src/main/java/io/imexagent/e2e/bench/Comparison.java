package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Two documents of the benchmark beside each other. How fast a machine is changes from day to day, so the times of calls
 * are divided by the floor of their own run first, which is mostly the disk; processor time, the start, sizes and counts
 * are compared as they are.
 */
public final class Comparison {

    private static final String FLOOR = "/floor_ms";
    private static final String COLD_FLOOR = "/cold_floor_ms";

    private Comparison() {}

    /** Prints a line for each figure that both have, with now by then: less is better. */
    public static void print(JsonNode then, JsonNode now, Consumer<String> out) {
        Map<String, Double> before = figures(then);
        out.accept(
                "figure                              then        now   now / then (calls by the floor of their run)");
        figures(now).forEach((path, value) -> {
            Double was = before.get(path);
            if (was != null) {
                double ratio = (value / divisor(now, path)) / (was / divisor(then, path));
                out.accept(String.format(
                        Locale.ROOT,
                        "%-30s %9.3f  %9.3f   %s",
                        path.substring(1),
                        was,
                        value,
                        was == 0 ? "-" : String.format(Locale.ROOT, "%.2f", ratio)));
            }
        });
    }

    private static double divisor(JsonNode document, String path) {
        boolean isCall = path.contains("_ms")
                && !path.contains("cpu_ms")
                && !path.startsWith("/to_")
                && !path.startsWith("/installed/")
                && !path.equals(FLOOR)
                && !path.equals(COLD_FLOOR);
        return isCall
                ? document.at(path.startsWith("/cold_") ? COLD_FLOOR : FLOOR).asDouble()
                : 1;
    }

    private static SortedMap<String, Double> figures(JsonNode document) {
        SortedMap<String, Double> figures = new TreeMap<>();
        document.properties().forEach(entry -> {
            String path = "/" + entry.getKey();
            if (entry.getValue().isNumber()) {
                figures.put(path, entry.getValue().asDouble());
            } else {
                figures(entry.getValue()).forEach((below, value) -> figures.put(path + below, value));
            }
        });
        return figures;
    }
}
