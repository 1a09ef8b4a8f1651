package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.function.Consumer;

/** What was aimed at, beside what was reached. */
final class Targets {

    /** None; what is read has a noise of about 1 MB, so that a growth of that much is no growth. */
    private static final double GROWTH_MB = 1;

    private Targets() {}

    static void print(Measurements measured, Consumer<String> out) {
        ObjectNode document = measured.document();
        double prepare = document.at("/prepare_ms/p50").asDouble();
        double growth = document.at("/rss_mb/after_3000").asDouble()
                - document.at("/rss_mb/idle").asDouble();
        out.accept("target                                reached     aim");
        line(out, "prepare p50, ms", prepare, 3);
        line(out, "prepare p99, ms", document.at("/prepare_ms/p99").asDouble(), 10);
        line(out, "prepare p50 / floor", prepare / document.path("floor_ms").asDouble(), 2);
        line(out, "unprepare p50, ms", document.at("/unprepare_ms/p50").asDouble(), 1.5);
        line(out, "first call, ms", document.path("first_call_ms").asDouble(), 50);
        line(out, "processor per cycle, ms", document.path("cpu_ms_per_cycle").asDouble(), 3);
        line(out, "to sockets, ms", document.path("to_sockets_ms").asDouble(), 350);
        line(out, "to slice, ms", document.path("to_slice_ms").asDouble(), 800);
        line(out, "RSS idle, MB", document.at("/rss_mb/idle").asDouble(), 130);
        line(out, "RSS after all cycles, MB", document.at("/rss_mb/after_3000").asDouble(), 130);
        line(out, "growth of RSS, MB", growth, GROWTH_MB);
        if (document.has("installed")) {
            installed(document.path("installed"), out);
        }
    }

    /** Memory and processor time are those of so many idle minutes, which is part of the aim. */
    private static void installed(JsonNode installed, Consumer<String> out) {
        line(out, "installed: to READY, ms", installed.path("ready_ms").asDouble(), 400);
        line(out, "installed: gate, ms", installed.path("gate_ms").asDouble(), 250);
        line(
                out,
                "installed: gate by NVML, ms",
                installed.path("gate_by_nvml_ms").asDouble(),
                250);
        String minutes = installed.path("idle_minutes").asInt() + " min";
        line(
                out,
                "installed: RSS, " + minutes + ", MB",
                installed.path("rss_mb").asDouble(),
                120);
        line(
                out,
                "installed: idle, first " + minutes + ", %",
                installed.path("young_cpu_percent").asDouble(),
                0.2);
        line(
                out,
                "installed: idle, next " + minutes + ", %",
                installed.path("idle_cpu_percent").asDouble(),
                0.2);
        line(out, "package, MB", installed.path("package_mb").asDouble(), 60);
    }

    private static void line(Consumer<String> out, String what, double reached, double aim) {
        out.accept(String.format(
                Locale.ROOT, "%-34s %10.3f  <= %-5s %s", what, reached, plain(aim), reached <= aim ? "met" : "MISSED"));
    }

    private static String plain(double value) {
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.1f", value);
    }
}
