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
 * The cliques in which several ComputeDomains use channel 0 at the same time, and since when. Nodes report
 * independently, and up to two minutes late, so that a workload that ends and the next one may overlap for a while;
 * only sharing that lasts longer is reported.
 */
final class SharedChannels {

    /** The time after which sharing is reported; longer than the delay of a node's report. */
    static final Duration LASTING = Duration.ofMinutes(3);

    private final ClusterState state;
    private final LongSupplier nanoTime;
    private final Consumer<ReconcileKey> again;
    private final Map<CliqueId, SharedChannel> shared = new ConcurrentHashMap<>();

    private record SharedChannel(Set<String> domains, long since, boolean reported) {}

    SharedChannels(ClusterState state, LongSupplier nanoTime, Consumer<ReconcileKey> again) {
        this.state = state;
        this.nanoTime = nanoTime;
        this.again = again;
    }

    /** Forgets all sharing when this controller begins to lead. */
    void forget() {
        shared.clear();
    }

    boolean lasts(CliqueId clique) {
        return Optional.ofNullable(shared.get(clique))
                .filter(SharedChannel::reported)
                .isPresent();
    }

    /**
     * Checks a clique, requeues the ComputeDomains whose sharing began or ended, and returns the wait before the next
     * check, if one is needed.
     */
    Optional<Duration> check(CliqueId clique) {
        Optional<SharedChannel> before = Optional.ofNullable(shared.get(clique));
        Set<String> now = state.sharing(clique);
        if (now.isEmpty()) {
            shared.remove(clique);
            before.filter(SharedChannel::reported).ifPresent(ended -> requeue(ended.domains()));
            return Optional.empty();
        }
        long nanos = nanoTime.getAsLong();
        long since = before.map(SharedChannel::since).orElse(nanos);
        Duration left = LASTING.minusNanos(nanos - since);
        var shares = new SharedChannel(now, since, !left.isPositive());
        shared.put(clique, shares);
        if (shares.reported() && !before.equals(Optional.of(shares))) {
            Set<String> concerned = new HashSet<>(now);
            before.ifPresent(earlier -> concerned.addAll(earlier.domains()));
            requeue(concerned);
        }
        return shares.reported() ? Optional.empty() : Optional.of(left);
    }

    private void requeue(Set<String> domains) {
        domains.forEach(uid -> again.accept(new ReconcileKey.DomainKey(uid)));
    }
}
