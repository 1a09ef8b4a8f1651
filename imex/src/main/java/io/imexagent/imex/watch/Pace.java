package io.imexagent.imex.watch;

import io.imexagent.imex.health.DaemonHealth.State;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * How long to wait until the next look. What is well is looked at after the interval, what is on its way sooner, and
 * what does not answer ever more seldom: each try holds a process for the whole of its timeout.
 */
final class Pace {

    /** A daemon that starts gets ready within seconds. */
    static final Duration UNSETTLED = Duration.ofSeconds(5);

    /** A tool that hangs is tried again this often at least. */
    static final Duration LONGEST = Duration.ofMinutes(5);

    private static final Set<State> SETTLING = EnumSet.of(
            State.STARTING,
            State.WAITING_FOR_PEERS,
            State.WAITING_FOR_RECOVERY,
            State.STOPPING,
            State.UNREACHABLE,
            State.NOT_READY);

    private int silent;

    /** The pause after a look that came to this. */
    Duration after(ImexHealth health, Duration interval) {
        if (health.verdict().level() == Verdict.Level.UNKNOWN) {
            silent++;
            return backedOff(interval);
        }
        silent = 0;
        return SETTLING.contains(health.daemon().state()) && interval.compareTo(UNSETTLED) > 0 ? UNSETTLED : interval;
    }

    /** The pause after a look that failed altogether. */
    Duration afterFailure(Duration interval) {
        silent++;
        return backedOff(interval);
    }

    private Duration backedOff(Duration interval) {
        Duration pause = interval;
        for (int i = 1; i < silent && pause.compareTo(LONGEST) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(LONGEST) > 0 && interval.compareTo(LONGEST) < 0 ? LONGEST : pause;
    }
}
