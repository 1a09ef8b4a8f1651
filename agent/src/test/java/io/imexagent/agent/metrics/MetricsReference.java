package io.imexagent.agent.metrics;

import io.imexagent.agent.metrics.Metric.MetricType;
import java.util.Arrays;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** {@code docs/metrics.md}, made from the list of metrics and from what the registry says of the JVM. */
final class MetricsReference {

    private MetricsReference() {}

    static String markdown() {
        return """
                # Metrics

                Made from the code; write it again with `make docs`.

                `/metrics` serves the Prometheus text format 0.0.4. Names and labels are stable; values of labels come from \
                small sets: refusal codes, kinds of failures, states, the node's own GPUs. Series of counters with labels \
                of what went wrong appear with the first time.

                ## The public driver's names
                Dashboards made for `compute-domain.nvidia.com` work unchanged. Totals and durations count requests that \
                succeeded, as there; the request series exist with 0 from the start.

                """ + table("nvidia_dra_") + """

                Buckets of `nvidia_dra_request_duration_seconds`: 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8 s. Values of \
                `error_type` are the codes in [troubleshooting](troubleshooting.md).

                ## The agent's own

                """ + table("imex_agent_") + """

                ## The process and its JVM

                | name | type | what it tells |
                |---|---|---|
                """ + process()
                + """

                A native image has no series of %s.
                """.formatted(Meters.ON_HOTSPOT_ALONE.stream()
                        .map(name -> "`" + name.replace('.', '_') + "…`")
                        .collect(Collectors.joining(", ")));
    }

    private static String table(String prefix) {
        return "| name | type | labels | what it tells |\n|---|---|---|---|\n"
                + Arrays.stream(Metric.values())
                        .filter(metric -> metric.series.startsWith(prefix))
                        .map(metric -> "| `" + metric.series + "` | " + type(metric.kind) + " | "
                                + metric.labels.stream()
                                        .map(label -> "`" + label + "`")
                                        .collect(Collectors.joining(", "))
                                + " | " + metric.help + " |\n")
                        .collect(Collectors.joining());
    }

    /** In the text format an info is a gauge. */
    static String type(MetricType kind) {
        return kind == MetricType.INFO ? "gauge" : kind.name().toLowerCase(Locale.ROOT);
    }

    /** The page tells name, help and type of everything that is not in the list, sorted. */
    private static String process() {
        return new Meters()
                        .page()
                        .lines()
                        .filter(line -> line.startsWith("# "))
                        .collect(Collectors.groupingBy(
                                line -> line.split(" ", 4)[2],
                                TreeMap::new,
                                Collectors.mapping(line -> line.split(" ", 4)[3], Collectors.toList())))
                        .entrySet()
                        .stream()
                        .map(metric -> "| `" + metric.getKey() + "` | "
                                + metric.getValue().getLast() + " | "
                                + metric.getValue().getFirst() + " |\n")
                        .collect(Collectors.joining());
    }
}
