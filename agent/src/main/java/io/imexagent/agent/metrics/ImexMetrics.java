package io.imexagent.agent.metrics;

import io.imexagent.imex.health.ConnectionState;
import io.imexagent.imex.health.DaemonHealth;
import io.imexagent.imex.health.DaemonState;
import io.imexagent.imex.health.DomainHealth;
import io.imexagent.imex.health.DomainReport;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.PrintedState;
import io.imexagent.imex.health.Verdict;
import io.imexagent.imex.watch.ImexWatch.ImexObserver;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * nvidia-imex as metrics. Nodes and connections are counted by state, without names: a domain of 72 nodes has no more
 * series than one of two.
 *
 * @param afterCheck runs after each check has been counted
 */
record ImexMetrics(Meters meters, Runnable afterCheck) implements ImexObserver {

    private static final String UNLISTED = "unlisted";

    @Override
    public void checked(ImexHealth health, Duration took) {
        meters.rows(
                Metric.IMEX_DAEMON_STATE,
                counted(DaemonHealth.LABELS.stream(), Stream.of(health.daemon().label())));
        meters.rows(
                Metric.IMEX_DOMAIN_STATE,
                counted(DomainHealth.LABELS.stream(), Stream.of(health.domain().label())));
        meters.rows(Metric.IMEX_NOTES, Map.of(List.of(), (double) health.notes().size()));
        meters.rows(
                Metric.IMEX_NODES_FILE_CHANGED,
                health.nodesFile()
                        .map(file -> Map.of(List.<String>of(), file.changed() ? 1.0 : 0.0))
                        .orElse(Map.of()));
        Optional<DomainReport> report = health.domain().report();
        meters.rows(Metric.IMEX_NODES, report.map(ImexMetrics::nodes).orElse(Map.of()));
        meters.rows(
                Metric.IMEX_CONNECTIONS, report.map(ImexMetrics::connections).orElse(Map.of()));
        meters.timer(Metric.IMEX_CHECK_DURATION_SECONDS).record(took);
        if (health.verdict().level() == Verdict.VerdictLevel.UNKNOWN
                || health.verdict().code().equals("domain-unknown")) {
            failed(health.verdict().code().replace('-', '_'));
        } else {
            meters.rows(
                    Metric.IMEX_LAST_CHECK_TIMESTAMP_SECONDS,
                    Map.of(List.of(), health.at().toEpochMilli() / 1000.0));
        }
        afterCheck.run();
    }

    @Override
    public void failed(String reason) {
        meters.increment(Metric.IMEX_CHECK_FAILURES_TOTAL, reason);
    }

    private static Map<List<String>, Double> nodes(DomainReport report) {
        return counted(known(DaemonState.values()), report.nodes().stream().map(node -> word(node.state())));
    }

    private static Map<List<String>, Double> connections(DomainReport report) {
        return counted(
                known(ConnectionState.values()),
                report.nodes().stream()
                        .flatMap(node -> node.connections().entrySet().stream()
                                .filter(to -> to.getKey() != node.index())
                                .map(Map.Entry::getValue))
                        .map(ImexMetrics::word));
    }

    private static String word(PrintedState<?> state) {
        return state.state().isPresent() ? state.word() : UNLISTED;
    }

    private static Stream<String> known(Enum<?>[] states) {
        return Stream.concat(Arrays.stream(states).map(Enum::name), Stream.of(UNLISTED));
    }

    /** Every state with its count, including 0. */
    private static Map<List<String>, Double> counted(Stream<String> states, Stream<String> present) {
        Map<List<String>, Double> rows = new HashMap<>();
        states.forEach(state -> rows.put(label(state), 0.0));
        present.forEach(state -> rows.merge(label(state), 1.0, Double::sum));
        return rows;
    }

    private static List<String> label(String state) {
        return List.of(state.toLowerCase(Locale.ROOT));
    }
}
