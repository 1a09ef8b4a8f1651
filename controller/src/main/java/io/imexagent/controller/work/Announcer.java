package io.imexagent.controller.work;

import io.imexagent.controller.plan.Problem;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ObjectRef;
import io.imexagent.kubernetes.control.ControlPlane;
import io.imexagent.kubernetes.control.EventDraft;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the owners of ComputeDomains about problems, as Events and in the log: each once, again when it changed, and
 * again after an hour, since the server forgets Events by then. What keeps nothing from working is told once.
 */
final class Announcer {

    private static final Duration AGAIN = Duration.ofHours(1);
    private static final Logger LOG = LoggerFactory.getLogger(Announcer.class);

    private final ControlPlane cluster;
    private final InstantSource clock;
    private final Map<String, Told> told = new ConcurrentHashMap<>();

    /**
     * What was told of a ComputeDomain.
     *
     * @param problems what was wrong when it was told last
     * @param notices what was told that kept nothing from working, ever
     * @param at when something was told last
     */
    private record Told(List<Problem> problems, Set<Problem> notices, Instant at) {

        static Told nothing(Instant now) {
            return new Told(List.of(), Set.of(), now);
        }

        boolean knows(Problem problem, Instant now) {
            return problem.reason().warning()
                    ? problems.contains(problem) && at.plus(AGAIN).isAfter(now)
                    : notices.contains(problem);
        }

        Told and(List<Problem> present, boolean news, Instant now) {
            Set<Problem> noticed = new HashSet<>(notices);
            present.stream().filter(problem -> !problem.reason().warning()).forEach(noticed::add);
            return new Told(List.copyOf(present), Set.copyOf(noticed), news ? now : at);
        }
    }

    Announcer(ControlPlane cluster, InstantSource clock) {
        this.cluster = cluster;
        this.clock = clock;
    }

    /** These are the problems of a ComputeDomain now. When to tell them again, where there are any. */
    Optional<Duration> tell(ObjectRef domain, List<Problem> problems) {
        if (problems.isEmpty()) {
            told.remove(domain.uid());
            return Optional.empty();
        }
        Instant now = clock.instant();
        Told last = told.getOrDefault(domain.uid(), Told.nothing(now));
        List<Problem> news =
                problems.stream().filter(problem -> !last.knows(problem, now)).toList();
        told.put(domain.uid(), last.and(problems, !news.isEmpty(), now));
        news.forEach(problem -> tell(domain, problem));
        return problems.stream().anyMatch(problem -> problem.reason().warning())
                ? Optional.of(AGAIN)
                : Optional.empty();
    }

    private void tell(ObjectRef domain, Problem problem) {
        boolean warning = problem.reason().warning();
        String reason = problem.reason().text();
        if (warning) {
            LOG.warn("{} domain={} reason={}", problem.message(), domain, reason);
        } else {
            LOG.info("{} domain={} reason={}", problem.message(), domain, reason);
        }
        try {
            cluster.record(new EventDraft(domain, warning, reason, problem.message()));
        } catch (ApiException e) {
            // What is told is in the log; the namespace may be going, and nobody is there to read the Event.
            LOG.debug("event not recorded domain={} error=\"{}\"", domain, e.getMessage());
        }
    }

    /** The ComputeDomain is gone. */
    void forget(String uid) {
        told.remove(uid);
    }
}
