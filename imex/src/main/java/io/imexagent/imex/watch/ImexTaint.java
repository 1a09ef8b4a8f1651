package io.imexagent.imex.watch;

import io.imexagent.core.slice.Device.Taint;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Whether the devices have a taint, with a memory so that a daemon that comes and goes does not rewrite the slices each
 * time: what is down must stay so for a while before the taint comes, and what is well before it goes. What nobody can
 * tell changes nothing.
 *
 * <p>The effect is NoSchedule and never NoExecute: a workload that runs over a domain with a fault is its owner's to end.
 */
final class ImexTaint {

    /** The taint's key. */
    static final String KEY = "imex.nvidia.com/unhealthy";

    private Optional<String> tainted;
    private Optional<Instant> differsSince = Optional.empty();

    /**
     * A memory that begins so.
     *
     * @param before the value of the taint that stood so far; empty where none did
     */
    ImexTaint(Optional<String> before) {
        this.tainted = before;
    }

    /**
     * The taints at this moment.
     *
     * @param health how nvidia-imex is; empty while nobody has looked
     * @param after how long a change must last
     * @param now the time
     */
    synchronized List<Taint> taints(Optional<ImexHealth> health, Duration after, Instant now) {
        Optional<Optional<String>> told = health.flatMap(ImexTaint::wanted);
        if (told.isEmpty() || told.get().isPresent() == tainted.isPresent()) {
            differsSince = Optional.empty();
        } else {
            Instant since = differsSince.orElse(now);
            differsSince = Optional.of(since);
            if (Duration.between(since, now).compareTo(after) >= 0) {
                tainted = told.get();
                differsSince = Optional.empty();
            }
        }
        return tainted.map(value -> List.of(new Taint(KEY, value, Taint.Effect.NO_SCHEDULE)))
                .orElse(List.of());
    }

    /** The taint's value, or no taint; empty where nobody can tell. The value stays what it was at first. */
    private static Optional<Optional<String>> wanted(ImexHealth health) {
        return switch (health.verdict().level()) {
            case Verdict.Level.DOWN -> Optional.of(Optional.of(health.verdict().code()));
            case Verdict.Level.UP, Verdict.Level.DEGRADED, Verdict.Level.NOT_APPLICABLE ->
                Optional.of(Optional.empty());
            case Verdict.Level.UNKNOWN -> Optional.empty();
        };
    }
}
