package io.imexagent.e2e.fabric;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** What an API server gets and sends, by kind of call, and how much of it in its busiest second. */
final class Traffic {

    private final Map<String, Count> counts = new TreeMap<>();
    private final Map<Long, Count> seconds = new TreeMap<>();

    private static final class Count {
        private long calls;
        private long in;
        private long out;

        private void add(long more, long bytesIn, long bytesOut) {
            calls += more;
            in += bytesIn;
            out += bytesOut;
        }
    }

    /** Adds a call of this kind, or an event of a watch, of which nothing comes in. */
    void add(String kind, long nanos, long bytesIn, long bytesOut) {
        counts.computeIfAbsent(kind, none -> new Count()).add(1, bytesIn, bytesOut);
        seconds.computeIfAbsent(nanos / 1_000_000_000, none -> new Count()).add(1, bytesIn, bytesOut);
    }

    void clear() {
        counts.clear();
        seconds.clear();
    }

    /** Each kind as calls and bytes a second, and the most of one second. */
    ObjectNode report(Duration span) {
        double length = span.toNanos() / 1e9;
        ObjectNode report = Json.object();
        var all = new Count();
        counts.forEach((kind, count) -> {
            put(report.putObject(kind), count, length);
            all.add(count.calls, count.in, count.out);
        });
        put(report.putObject("all"), all, length);
        report.putObject("most in a second")
                .put("calls", most(count -> count.calls))
                .put("kB in", most(count -> count.in) / 1000)
                .put("kB out", most(count -> count.out) / 1000);
        return report;
    }

    private long most(ToLongFunction<Count> figure) {
        return seconds.values().stream().mapToLong(figure).max().orElse(0);
    }

    private static void put(ObjectNode to, Count count, double length) {
        to.put("calls a second", rounded(count.calls / length))
                .put("kB in a second", rounded(count.in / length / 1000))
                .put("kB out a second", rounded(count.out / length / 1000));
    }

    private static double rounded(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
