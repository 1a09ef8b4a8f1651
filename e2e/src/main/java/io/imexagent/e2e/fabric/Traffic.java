package io.imexagent.e2e.fabric;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** What an API server gets and sends, by kind of call, and how much of it in its busiest second. */
final class Traffic {

    private final Map<String, Count> counts = new TreeMap<>();
    private final Map<Long, Count> seconds = new TreeMap<>();

    private static final class Count {
        private long calls;
        private long in;
        private long out;

        private void add(long bytesIn, long bytesOut) {
            calls++;
            in += bytesIn;
            out += bytesOut;
        }
    }

    /** A call of this kind, or an event of a watch, which has nothing that comes in. */
    void add(String kind, long nanos, long bytesIn, long bytesOut) {
        counts.computeIfAbsent(kind, none -> new Count()).add(bytesIn, bytesOut);
        seconds.computeIfAbsent(nanos / 1_000_000_000, none -> new Count()).add(bytesIn, bytesOut);
    }

    /** How many there were of a kind. */
    long calls(String kind) {
        return counts.containsKey(kind) ? counts.get(kind).calls : 0;
    }

    /** Begins anew. */
    void clear() {
        counts.clear();
        seconds.clear();
    }

    /** Each kind as calls and bytes a second, and the most of one second. */
    ObjectNode report(Duration span) {
        double length = span.toNanos() / 1e9;
        ObjectNode report = Json.object();
        counts.forEach((kind, count) -> put(report.putObject(kind), count, length));
        var all = new Count();
        counts.values().forEach(count -> {
            all.calls += count.calls;
            all.in += count.in;
            all.out += count.out;
        });
        put(report.putObject("all"), all, length);
        ObjectNode most = report.putObject("most in a second");
        most.put(
                "calls",
                seconds.values().stream().mapToLong(count -> count.calls).max().orElse(0));
        most.put(
                "kB in",
                seconds.values().stream().mapToLong(count -> count.in).max().orElse(0) / 1000);
        most.put(
                "kB out",
                seconds.values().stream().mapToLong(count -> count.out).max().orElse(0) / 1000);
        return report;
    }

    private static void put(ObjectNode to, Count count, double length) {
        to.put("calls a second", rounded(count.calls / length));
        to.put("kB in a second", rounded(count.in / length / 1000));
        to.put("kB out a second", rounded(count.out / length / 1000));
    }

    private static double rounded(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
