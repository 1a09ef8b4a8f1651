package io.imexagent.imex.watch;

import io.imexagent.dra.worker.Loop;
import io.imexagent.dra.worker.Signal;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.Events.Event;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reports each change of the verdict on nvidia-imex as an Event of the Node, at most a few in a row and then one a minute.
 * Of faster changes only the last is reported, so the newest Event is the current state. A failed Event is tried again.
 */
public final class NodeEvents extends Loop {

    /** How long after an Event the next may come, once the first few are spent. */
    public static final Duration REST = Duration.ofMinutes(1);

    /** How many Events may come in a row. */
    static final int BURST = 3;

    private static final Logger LOG = LoggerFactory.getLogger(NodeEvents.class);

    private final Events events;
    private final String nodeName;
    private final ImexSource source;
    private final BooleanSupplier enabled;
    private final InstantSource clock;
    private final Allowance allowance = new Allowance(BURST, REST);
    private final Duration retry;
    private Optional<Verdict> told = Optional.empty();
    // After a failure it is not known whether the Event was made: the current state is reported in any case.
    private boolean doubtful;

    /**
     * A teller that has not begun; whether to tell is asked at each change. An Event that could not be made is tried
     * again after this time, as far as the allowance goes.
     */
    public NodeEvents(
            Events events,
            String nodeName,
            ImexSource source,
            BooleanSupplier enabled,
            InstantSource clock,
            Duration retry) {
        super("imex-events", new Signal());
        this.events = events;
        this.nodeName = nodeName;
        this.source = source;
        this.enabled = enabled;
        this.clock = clock;
        this.retry = retry;
    }

    @Override
    public void start() {
        source.onChange(this::wake);
        super.start();
    }

    /** Emits the current state as soon as the allowance allows; later changes replace it. */
    @Override
    protected Duration turn() {
        Optional<ImexHealth> health = source.current();
        if (health.isEmpty() || !enabled.getAsBoolean() || !isNews(health.get().verdict())) {
            return Signal.UNTIL_RAISED;
        }
        Duration wait = allowance.wait(clock.instant());
        if (!wait.isZero()) {
            return wait;
        }
        return tell(health.get().verdict(), health.get().line()) ? Duration.ZERO : retry;
    }

    /** A node that was well from the start needs no Event. */
    private boolean isNews(Verdict verdict) {
        return doubtful
                || told.map(before -> !before.code().equals(verdict.code())
                                || !before.summary().equals(verdict.summary()))
                        .orElseGet(() -> !isWell(verdict));
    }

    /** Whether the Event was made. Of failures in a row only the first is logged as a warning. */
    private boolean tell(Verdict verdict, String line) {
        allowance.spend(clock.instant());
        try {
            events.create(Event.ofNode(nodeName, !isWell(verdict), reason(verdict), line, clock.instant()));
            told = Optional.of(verdict);
            doubtful = false;
            return true;
        } catch (ApiException failure) {
            LOG.atLevel(doubtful ? Level.DEBUG : Level.WARN)
                    .log(
                            "event of the node not made, tried again reason={} error=\"{}\"",
                            reason(verdict),
                            failure.failure().message());
            doubtful = true;
            return false;
        }
    }

    private static boolean isWell(Verdict verdict) {
        return verdict.level() == Verdict.Level.UP || verdict.level() == Verdict.Level.NOT_APPLICABLE;
    }

    /** The reason in the way of Kubernetes: {@code ImexUp}, {@code ImexVersionMismatch}. */
    static String reason(Verdict verdict) {
        var reason = new StringBuilder("Imex");
        for (String word : verdict.code().split("-", -1)) {
            reason.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
        }
        return reason.toString();
    }

    /** A few at once, then one in a while. */
    static final class Allowance {

        private final Duration refill;
        private final Duration others;
        private Instant full = Instant.MIN;

        Allowance(int most, Duration refill) {
            this.refill = refill;
            this.others = refill.multipliedBy(most - 1);
        }

        /** How long to wait for the next; zero where it may come now. */
        Duration wait(Instant now) {
            // A clock that jumped back earns nothing and costs at most one more refill.
            Instant spent = now.plus(others).plus(refill);
            full = full.isAfter(spent) ? spent : full;
            Duration wait = Duration.between(now.plus(others), full);
            return wait.isPositive() ? wait : Duration.ZERO;
        }

        void spend(Instant now) {
            full = (full.isAfter(now) ? full : now).plus(refill);
        }
    }
}
