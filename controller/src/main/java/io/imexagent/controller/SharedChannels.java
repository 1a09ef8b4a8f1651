package io.imexagent.controller;

import io.imexagent.core.inventory.CliqueId;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Since when several ComputeDomains use channel 0 of a clique at once. Nodes report each for itself, and up to two minutes
 * late, so one workload that ends and the next that begins overlap for a while: only what lasts longer is told.
 */
final class SharedChannels {

    /** Longer than a node's report is late. */
    static final Duration LASTING = Duration.ofMinutes(3);

    private final ClusterState state;
    private final LongSupplier nanoTime;
    private final Consumer<Work> again;
    private final Map<CliqueId, Shared> shared = new ConcurrentHashMap<>();

    private record Shared(Set<String> domains, long since, boolean told) {}

    SharedChannels(ClusterState state, LongSupplier nanoTime, Consumer<Work> again) {
        this.state = state;
        this.nanoTime = nanoTime;
        this.again = again;
    }

    /** Begins to lead. */
    void forget() {
        shared.clear();
    }

    boolean lasts(CliqueId clique) {
        return Optional.ofNullable(shared.get(clique)).filter(Shared::told).isPresent();
    }

    /** Looks at a clique, requeues the ComputeDomains that have news, and returns when to look again. */
    Optional<Duration> look(CliqueId clique) {
        Optional<Shared> before = Optional.ofNullable(shared.get(clique));
        Set<String> now = state.sharing(clique);
        if (now.isEmpty()) {
            shared.remove(clique);
            before.filter(Shared::told).ifPresent(ended -> requeue(ended.domains()));
            return Optional.empty();
        }
        long nanos = nanoTime.getAsLong();
        long since = before.map(Shared::since).orElse(nanos);
        Duration left = LASTING.minusNanos(nanos - since);
        var shares = new Shared(now, since, !left.isPositive());
        shared.put(clique, shares);
        if (shares.told() && !before.equals(Optional.of(shares))) {
            Set<String> concerned = new HashSet<>(now);
            before.ifPresent(earlier -> concerned.addAll(earlier.domains()));
            requeue(concerned);
        }
        return shares.told() ? Optional.empty() : Optional.of(left);
    }

    private void requeue(Set<String> domains) {
        domains.forEach(uid -> again.accept(new Work.Domain(uid)));
    }
}
