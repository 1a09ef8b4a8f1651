package io.imexagent.imex.watch;

import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.Events.Event;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reports each change of the verdict on nvidia-imex as an Event of the Node, at most a few in a row and then one a
 * minute. Of faster changes only the last is reported, so that the newest Event is the current state. A failed Event is
 * tried again.
 *
 * <p>This also holds across a restart, although a node may not read Events: the file {@code imex-event} in the state
 * directory has the text of the last Event. It contains {@code ?} from before an Event is sent until the server has
 * answered. An agent that finds {@code ?}, or cannot read the file, reports the current state.
 */
public final class NodeEvents extends Loop {

    /** The time between Events after the first few in a row. */
    public static final Duration REST = Duration.ofMinutes(1);

    /** The number of Events that may come in a row. */
    static final int BURST = 3;

    /** The record while the last Event's text is unknown; no verdict's code begins with this text. */
    private static final String DOUBT = KeptLine.UNREAD;

    /** The longest recorded text of an Event, in characters. */
    private static final int LONGEST = 512;

    private static final Logger LOG = LoggerFactory.getLogger(NodeEvents.class);

    private final Events events;
    private final String nodeName;
    private final ImexSource source;
    private final BooleanSupplier enabled;
    private final InstantSource clock;
    private final Allowance allowance = new Allowance(BURST, REST);
    private final Duration retry;
    private final KeptLine record;
    private boolean read;
    private boolean failing;

    /**
     * Creates the loop before the first Event; an Event that the server rejected is sent again after {@code retry}, if
     * the allowance permits.
     */
    public NodeEvents(
            Events events,
            String nodeName,
            Path stateDirectory,
            ImexSource source,
            BooleanSupplier enabled,
            InstantSource clock,
            Duration retry) {
        super("imex-events", new Signal());
        this.events = events;
        this.nodeName = nodeName;
        this.record = new KeptLine(
                stateDirectory,
                "imex-event",
                "the last Event of the node",
                "after a restart the newest Event of the Node may be an old one");
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
        return record(health.get().verdict(), health.get().line()) ? Duration.ZERO : retry;
    }

    /** Whether the verdict needs an Event; not on a node that is healthy from the start. */
    private boolean isNews(Verdict verdict) {
        if (!read) {
            read = true;
            try {
                record.read();
            } catch (IOException failure) {
                LOG.warn("the text of the last Event of the Node is unknown reason=\"{}\"", failure.getMessage());
            }
        }
        return record.line().map(before -> !before.equals(word(verdict))).orElseGet(() -> !verdict.isWell());
    }

    /** The part of an Event's text whose change makes another Event due. */
    private static String word(Verdict verdict) {
        String word = (verdict.code() + " " + verdict.summary()).replaceAll("\\p{Cntrl}", " ");
        return word.substring(0, Math.min(word.length(), LONGEST)).strip();
    }

    /** Whether the Event was created. Of failures in a row only the first is logged as a warning. */
    private boolean record(Verdict verdict, String line) {
        allowance.spend(clock.instant());
        record.keep(Optional.of(DOUBT), LOG);
        try {
            events.emit(Event.ofNode(nodeName, !verdict.isWell(), "CheckImex", reason(verdict), line, clock.instant()));
            record.keep(Optional.of(word(verdict)), LOG);
            failing = false;
            return true;
        } catch (ApiException failure) {
            LOG.atLevel(failing ? Level.DEBUG : Level.WARN)
                    .log(
                            "cannot create an Event of the Node, trying again reason={} error=\"{}\"",
                            reason(verdict),
                            failure.failure().message());
            failing = true;
            return false;
        }
    }

    /** The Event's reason in the style of Kubernetes: {@code ImexUp}, {@code ImexVersionMismatch}. */
    static String reason(Verdict verdict) {
        var reason = new StringBuilder("Imex");
        for (String word : verdict.code().split("-", -1)) {
            reason.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
        }
        return reason.toString();
    }

    /** Permits a few Events at once, and one per interval after that. */
    static final class Allowance {

        private final Duration refill;
        private final Duration others;
        private Instant full = Instant.MIN;

        Allowance(int most, Duration refill) {
            this.refill = refill;
            this.others = refill.multipliedBy(most - 1);
        }

        /** The time until the next Event; zero if it may come now. */
        Duration wait(Instant now) {
            // After the clock jumped back, no allowance is gained, and at most one more refill is lost.
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
