package io.imexagent.imex.watch;

import io.imexagent.core.slice.Device.DeviceTaint;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The taint of the node's devices, NoSchedule and never NoExecute: the owner of a workload over a faulty domain decides
 * whether to end it. A change must last for a while before the taint is added or removed, so that a daemon that fails
 * and recovers does not rewrite the slices each time; an unknown health changes nothing.
 *
 * <p>An agent that starts while nvidia-imex is down begins with the previous taint: the file {@code imex-taint} in the
 * state directory has its value, one line, and is absent while there is no taint. Every change is recorded before it is
 * published, since the kubelet removes the slices 30 s after the agent has ended. A failure to record is logged.
 */
public final class KeptTaint {

    private static final String KEY = "imex.nvidia.com/unhealthy";

    /** The code of a verdict, which is also a valid value of a label (at most 63 characters). */
    private static final Pattern VALUE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private static final Logger LOG = LoggerFactory.getLogger(KeptTaint.class);

    private final KeptLine record;
    private boolean known;
    private Optional<String> tainted = Optional.empty();
    private Optional<Instant> differsSince = Optional.empty();

    /** Creates the taint with its record in this directory, which the first record creates; nothing is read yet. */
    public KeptTaint(Path stateDirectory) {
        this.record =
                new KeptLine(stateDirectory, "imex-taint", "the taint", "a restart may drop the taint for a while");
    }

    /** The taints for this health, empty before a first check. A change must last {@code after}, and writes a file. */
    public synchronized List<DeviceTaint> taints(Optional<ImexHealth> health, Duration after, Instant now) {
        if (!known) {
            known = true;
            differsSince = Optional.empty();
            tainted = before();
        }
        health.map(ImexHealth::verdict)
                .filter(verdict -> verdict.level() != Verdict.VerdictLevel.UNKNOWN)
                .filter(verdict -> (verdict.level() == Verdict.VerdictLevel.DOWN) != tainted.isPresent())
                .ifPresentOrElse(verdict -> differs(verdict, after, now), () -> differsSince = Optional.empty());
        record.keep(tainted, LOG);
        return tainted.map(value -> List.of(new DeviceTaint(KEY, value, DeviceTaint.TaintEffect.NO_SCHEDULE)))
                .orElse(List.of());
    }

    /**
     * Processes a verdict that requires a taint if there is none, or none if there is one. The value of a taint does
     * not change later.
     */
    private void differs(Verdict verdict, Duration after, Instant now) {
        Instant since = differsSince.orElse(now);
        differsSince = Optional.of(since);
        if (Duration.between(since, now).compareTo(after) >= 0) {
            tainted = tainted.isPresent() ? Optional.empty() : Optional.of(verdict.code());
            differsSince = Optional.empty();
        }
    }

    /** Forgets the taint, since the operator wants none. */
    public synchronized void forget() {
        known = false;
        record.keep(Optional.empty(), LOG);
    }

    /** The value of the last recorded taint; empty if there was none, or the record cannot be read. */
    private Optional<String> before() {
        try {
            Optional<String> recorded = record.read();
            if (recorded.isPresent() && !VALUE.matcher(recorded.get()).matches()) {
                throw new IOException(record + " is not understood: it holds no taint's value; it is written again");
            }
            recorded.ifPresent(value -> LOG.info("keeping the taint of the last run value={}", value));
            return recorded;
        } catch (IOException failure) {
            LOG.warn("the taint of the last run is unknown reason=\"{}\"", failure.getMessage());
        }
        return Optional.empty();
    }
}
