package io.imexagent.agent.metrics;

import io.imexagent.imex.health.DaemonHealth;
import io.imexagent.imex.health.DomainHealth;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import io.imexagent.imex.report.ConnectionState;
import io.imexagent.imex.report.DaemonState;
import io.imexagent.imex.report.DomainReport;
import io.imexagent.imex.watch.ImexObserver;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * nvidia-imex as metrics. Nodes and connections are counted by state and never named: a domain of 72 nodes has no more
 * series than one of two.
 */
final class ImexMetrics implements ImexObserver {

    private static final String UNLISTED = "unlisted";

    private final Meters meters;
    private final Runnable afterLook;

    /**
     * Metrics of looks.
     *
     * @param meters the meters
     * @param afterLook is run after each look has been counted
     */
    ImexMetrics(Meters meters, Runnable afterLook) {
        this.meters = meters;
        this.afterLook = afterLook;
    }

    @Override
    public void looked(ImexHealth health, Duration took) {
        meters.rows(
                MetricCatalogue.IMEX_DAEMON_STATE,
                oneOf(DaemonHealth.LABELS, health.daemon().label()));
        meters.rows(
                MetricCatalogue.IMEX_DOMAIN_STATE,
                oneOf(DomainHealth.LABELS, health.domain().label()));
        meters.rows(MetricCatalogue.IMEX_NODES, nodes(health.report()));
        meters.rows(MetricCatalogue.IMEX_CONNECTIONS, connections(health.report()));
        meters.durations(MetricCatalogue.IMEX_CHECK_DURATION).record(took);
        if (health.verdict().level() == Verdict.Level.UNKNOWN
                || health.verdict().code().equals("domain-not-told")) {
            failed(health.verdict().code().replace('-', '_'));
        } else {
            meters.rows(
                    MetricCatalogue.IMEX_LAST_CHECK,
                    Map.of(List.of(), health.at().toEpochMilli() / 1000.0));
        }
        afterLook.run();
    }

    @Override
    public void failed(String reason) {
        meters.counter(MetricCatalogue.IMEX_CHECK_FAILURES, reason).increment();
    }

    private static Map<List<String>, Double> oneOf(List<String> labels, String present) {
        Map<List<String>, Double> rows = new HashMap<>();
        labels.forEach(label -> rows.put(List.of(label), label.equals(present) ? 1.0 : 0.0));
        return rows;
    }

    private static Map<List<String>, Double> nodes(Optional<DomainReport> report) {
        return counted(
                report,
                Arrays.stream(DaemonState.Known.values()).map(Enum::name),
                told -> told.nodes().stream()
                        .map(node -> node.state() instanceof DaemonState.Known known ? known.name() : UNLISTED));
    }

    private static Map<List<String>, Double> connections(Optional<DomainReport> report) {
        return counted(
                report,
                Arrays.stream(ConnectionState.Known.values()).map(Enum::name),
                told -> told.nodes().stream()
                        .flatMap(node -> node.connections().entrySet().stream()
                                .filter(to -> to.getKey() != node.index())
                                .map(Map.Entry::getValue))
                        .map(state -> state instanceof ConnectionState.Known known ? known.name() : UNLISTED));
    }

    /** Every state with its count, 0 included; no rows while nobody tells. */
    private static Map<List<String>, Double> counted(
            Optional<DomainReport> report, Stream<String> states, Function<DomainReport, Stream<String>> present) {
        Map<List<String>, Double> rows = new HashMap<>();
        if (report.isEmpty()) {
            return rows;
        }
        Stream.concat(states, Stream.of(UNLISTED)).forEach(state -> rows.put(label(state), 0.0));
        present.apply(report.get()).forEach(state -> rows.merge(label(state), 1.0, Double::sum));
        return rows;
    }

    private static List<String> label(String state) {
        return List.of(state.toLowerCase(Locale.ROOT));
    }
}
