package io.imexagent.controller;

import io.imexagent.controller.DomainPlanner.Problem;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.Events.Event;
import io.imexagent.kubernetes.ObjectRef;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reports problems to the owners of ComputeDomains, as Events and in the log. A warning is reported at first, when it
 * changes, and every 50 minutes, before the server deletes the Event, so that one Event keeps counting. A notice is
 * reported once.
 */
final class EventRecorder {

    private static final Duration AGAIN = Duration.ofMinutes(50);
    private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);

    private final ControlPlane cluster;
    private final InstantSource clock;
    /**
     * When each problem of a ComputeDomain, by UID, was last reported. Notices stay here after they are over, warnings
     * do not.
     */
    private final Map<String, Map<Problem, Instant>> reported = new ConcurrentHashMap<>();

    EventRecorder(ControlPlane cluster, InstantSource clock) {
        this.cluster = cluster;
        this.clock = clock;
    }

    /**
     * Reports the present problems of a ComputeDomain where due; returns the wait before the next report, empty if
     * there is no warning.
     */
    Optional<Duration> report(ObjectRef domain, List<Problem> problems) {
        if (problems.isEmpty()) {
            reported.remove(domain.uid());
            return Optional.empty();
        }
        Instant now = clock.instant();
        var known = new HashMap<>(reported.getOrDefault(domain.uid(), Map.of()));
        known.keySet().removeIf(problem -> problem.reason().warning() && !problems.contains(problem));
        List<Problem> news = problems.stream()
                .filter(problem -> !known.containsKey(problem)
                        || (problem.reason().warning()
                                && !known.get(problem).plus(AGAIN).isAfter(now)))
                .toList();
        news.forEach(problem -> known.put(problem, now));
        reported.put(domain.uid(), known);
        news.forEach(problem -> report(domain, problem));
        return problems.stream().anyMatch(problem -> problem.reason().warning())
                ? Optional.of(AGAIN)
                : Optional.empty();
    }

    /** Whether this controller has reported a lasting problem of this reason to the owner. */
    boolean isReported(String uid, Problem.Reason reason) {
        return reported.getOrDefault(uid, Map.of()).keySet().stream().anyMatch(problem -> problem.reason() == reason);
    }

    /** Reports that a channel conflict is over, and forgets the reports of the conflict. */
    void conflictOver(ObjectRef domain) {
        reported.computeIfPresent(domain.uid(), (uid, known) -> {
            var left = new HashMap<>(known);
            left.keySet().removeIf(problem -> problem.reason() == Problem.Reason.CHANNEL_CONFLICT);
            return left;
        });
        report(
                domain,
                new Problem(
                        Problem.Reason.CHANNEL_CONFLICT_OVER,
                        "the channel conflict is over: no node uses a channel of this ComputeDomain, or for it, against"
                                + " the table of a clique"));
    }

    private void report(ObjectRef domain, Problem problem) {
        boolean warning = problem.reason().warning();
        String reason = problem.reason().text();
        LOG.atLevel(warning ? Level.WARN : Level.INFO)
                .log("{} domain={} reason={}", problem.message(), domain.path(), reason);
        try {
            cluster.events().emit(new Event(domain, warning, "Reconcile", reason, problem.message(), clock.instant()));
        } catch (ApiException e) {
            // The problem is in the log. The namespace may be ending, so that no one reads its Events any more.
            LOG.debug("event not recorded domain={} error=\"{}\"", domain.path(), e.getMessage());
        }
    }

    void forget(String uid) {
        reported.remove(uid);
    }
}
