package io.imexagent.imex.watch;

import io.imexagent.imex.health.DaemonHealth;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import java.time.Duration;

/**
 * How long to wait until the next look. What is well is looked at after the interval, what is on its way sooner, and
 * what does not answer ever more seldom: each try holds a process for the whole of its timeout.
 */
final class Pace {

    /** A daemon that starts gets ready within seconds. */
    static final Duration UNSETTLED = Duration.ofSeconds(5);

    /** A tool that hangs is tried again this often at least. */
    static final Duration LONGEST = Duration.ofMinutes(5);

    private int silent;

    /** The pause after a look that came to this. */
    Duration after(ImexHealth health, Duration interval) {
        if (health.verdict().level() == Verdict.Level.UNKNOWN) {
            silent++;
            return backedOff(interval);
        }
        silent = 0;
        return unsettled(health) && interval.compareTo(UNSETTLED) > 0 ? UNSETTLED : interval;
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

    private static boolean unsettled(ImexHealth health) {
        return switch (health.daemon()) {
            case DaemonHealth.Starting _,
                    DaemonHealth.WaitingForPeers _,
                    DaemonHealth.WaitingForRecovery _,
                    DaemonHealth.Stopping _,
                    DaemonHealth.Unreachable _,
                    DaemonHealth.NotReady _ -> true;
            case DaemonHealth.Ready _,
                    DaemonHealth.NotApplicable _,
                    DaemonHealth.NotInstalled _,
                    DaemonHealth.Masked _,
                    DaemonHealth.Inactive _,
                    DaemonHealth.Failed _,
                    DaemonHealth.Unknown _ -> false;
        };
    }
}
