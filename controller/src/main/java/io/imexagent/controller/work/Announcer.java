package io.imexagent.controller.work;

import io.imexagent.controller.plan.Problem;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.control.ControlPlane;
import io.imexagent.kubernetes.control.EventDraft;
import io.imexagent.kubernetes.control.ObjectRef;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the owners of ComputeDomains about problems, as Events and in the log: each once, again when it changed, and
 * again after an hour, since the server forgets Events by then.
 */
final class Announcer {

    private static final Duration AGAIN = Duration.ofHours(1);
    private static final Logger LOG = LoggerFactory.getLogger(Announcer.class);

    private final ControlPlane cluster;
    private final InstantSource clock;
    private final Map<String, Told> told = new ConcurrentHashMap<>();

    private record Told(List<Problem> problems, Instant at) {}

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
        Optional<Told> before = Optional.ofNullable(told.get(domain.uid()))
                .filter(last -> last.at().plus(AGAIN).isAfter(now));
        if (before.map(Told::problems).equals(Optional.of(problems))) {
            return Optional.of(AGAIN);
        }
        List<Problem> known = before.map(Told::problems).orElse(List.of());
        told.put(domain.uid(), new Told(List.copyOf(problems), now));
        problems.stream().filter(problem -> !known.contains(problem)).forEach(problem -> tell(domain, problem));
        return Optional.of(AGAIN);
    }

    private void tell(ObjectRef domain, Problem problem) {
        boolean warning = problem.reason().blocking();
        if (warning) {
            LOG.warn(
                    "{} domain={} reason={}",
                    problem.message(),
                    domain,
                    problem.reason().text());
        } else {
            LOG.info(
                    "{} domain={} reason={}",
                    problem.message(),
                    domain,
                    problem.reason().text());
        }
        try {
            cluster.record(new EventDraft(domain, warning, problem.reason().text(), problem.message()));
        } catch (ApiException e) {
            // What is told is in the log; the namespace may be going, and nobody is there to read the Event.
            LOG.debug("event not recorded domain={} error=\"{}\"", domain, e.getMessage());
        }
    }

    /** The ComputeDomain is gone. */
    void forget(String uid) {
        told.remove(uid);
    }

    /** What is wrong now, by UID. */
    Map<String, List<Problem>> problems() {
        var all = new java.util.HashMap<String, List<Problem>>();
        told.forEach((uid, last) -> all.put(uid, last.problems()));
        return all;
    }
}
