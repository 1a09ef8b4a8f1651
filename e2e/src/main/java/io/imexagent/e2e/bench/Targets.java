package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.function.Consumer;

/** The aims of the benchmark, beside what a document of it says was reached. */
public final class Targets {

    /** None; the figures have a noise of about 1 MB, so that a growth of that much is no growth. */
    private static final double GROWTH_MB = 1;

    private final Consumer<String> out;

    private Targets(Consumer<String> out) {
        this.out = out;
    }

    /** Prints a line for each aim. */
    public static void print(JsonNode document, Consumer<String> out) {
        var targets = new Targets(out);
        JsonNode prepare = document.at("/prepare_ms/p50");
        JsonNode idle = document.at("/rss_mb/idle");
        JsonNode after = document.at("/rss_mb/after_3000");
        double overFloor = prepare.asDouble() / document.path("floor_ms").asDouble();
        out.accept("target                                reached     aim");
        targets.line("prepare p50, ms", prepare, 3);
        targets.line("prepare p99, ms", document.at("/prepare_ms/p99"), 10);
        targets.line("prepare p50 / floor", DoubleNode.valueOf(overFloor), 2);
        targets.line("unprepare p50, ms", document.at("/unprepare_ms/p50"), 1.5);
        targets.line("first call, ms", document.path("first_call_ms"), 50);
        targets.line("processor per cycle, ms", document.path("cpu_ms_per_cycle"), 3);
        targets.line("to sockets, ms", document.path("to_sockets_ms"), 350);
        targets.line("to slice, ms", document.path("to_slice_ms"), 800);
        targets.line("RSS idle, MB", idle, 130);
        targets.line("RSS after all cycles, MB", after, 130);
        targets.line("growth of RSS, MB", DoubleNode.valueOf(after.asDouble() - idle.asDouble()), GROWTH_MB);
        if (document.has("installed")) {
            targets.installed(document.path("installed"));
        }
    }

    /** Memory and processor time are those of so many idle minutes, which is part of the aim. */
    private void installed(JsonNode installed) {
        String minutes = installed.path("idle_minutes").asInt() + " min";
        line("installed: to READY, ms", installed.path("ready_ms"), 400);
        line("installed: gate, ms", installed.path("gate_ms"), 250);
        line("installed: gate by NVML, ms", installed.path("gate_by_nvml_ms"), 250);
        line("installed: RSS, " + minutes + ", MB", installed.path("rss_mb"), 120);
        line("installed: idle, first " + minutes + ", %", installed.path("young_cpu_percent"), 0.2);
        line("installed: idle, next " + minutes + ", %", installed.path("idle_cpu_percent"), 0.2);
        line("package, MB", installed.path("package_mb"), 60);
    }

    private void line(String what, JsonNode figure, double aim) {
        double reached = figure.asDouble();
        String limit = BigDecimal.valueOf(aim).stripTrailingZeros().toPlainString();
        out.accept(String.format(
                Locale.ROOT, "%-34s %10.3f  <= %-5s %s", what, reached, limit, reached <= aim ? "met" : "MISSED"));
    }
}
