package io.imexagent.imex.bind;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of ComputeDomains of which the node has only the UID, as after a start without its object. Each is looked
 * up once, and again a minute after a failure; a ComputeDomain that no longer exists keeps its UID as its name.
 * Thread-safe; never blocks: each lookup has a thread of its own, and concurrent lookups in one namespace share a list.
 */
final class DomainNames {

    private static final Duration AFTER_FAILURE = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(DomainNames.class);

    private final HoldWriter.DomainNameLookup question;
    private final LongSupplier nanoTime;
    private final Consumer<DomainName> found;

    /**
     * The ComputeDomains that were looked up, each with the time of the failure; empty if it succeeded or is under way.
     */
    private final Map<ComputeDomainUid, Optional<Long>> requestedAt = new HashMap<>();

    /** Creates the names before the first lookup; {@code found} is called with each name, on another thread. */
    DomainNames(HoldWriter.DomainNameLookup question, LongSupplier nanoTime, Consumer<DomainName> found) {
        this.question = question;
        this.nanoTime = nanoTime;
        this.found = found;
    }

    /** The placeholder name of a ComputeDomain for which claims have only the UID. */
    static DomainName unknown(ComputeDomainUid domain, String namespace) {
        return new DomainName(domain, namespace, domain.value());
    }

    /** Starts lookups for the holds whose ComputeDomain has no name yet. */
    synchronized void request(Collection<Hold> held) {
        requestedAt
                .keySet()
                .retainAll(held.stream().map(hold -> hold.domain().uid()).toList());
        long now = nanoTime.getAsLong();
        List<DomainName> due = held.stream()
                .map(Hold::domain)
                .filter(domain -> domain.name().equals(domain.uid().value()))
                .filter(domain -> !requestedAt.containsKey(domain.uid()) || failedLongAgo(domain.uid(), now))
                .toList();
        due.forEach(domain -> {
            requestedAt.put(domain.uid(), Optional.empty());
            Thread.ofVirtual().name("domain-names").start(() -> ask(domain));
        });
    }

    private boolean failedLongAgo(ComputeDomainUid domain, long now) {
        return Optional.ofNullable(requestedAt.get(domain))
                .flatMap(failed -> failed)
                .filter(at -> now - at >= AFTER_FAILURE.toNanos())
                .isPresent();
    }

    private void ask(DomainName domain) {
        try {
            question.of(domain.namespace(), domain.uid()).ifPresent(found);
        } catch (ApiException e) {
            LOG.debug("cannot tell what a ComputeDomain is called uid={} error=\"{}\"", domain.uid(), e.getMessage());
            failed(domain);
        } catch (RuntimeException | Error defect) {
            LOG.error("search for the name of a ComputeDomain failed by a defect uid={}", domain.uid(), defect);
            failed(domain);
        }
    }

    private synchronized void failed(DomainName domain) {
        requestedAt.computeIfPresent(domain.uid(), (_, _) -> Optional.of(nanoTime.getAsLong()));
    }
}
