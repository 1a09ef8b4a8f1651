package io.imexagent.imex.health;

import io.imexagent.core.inventory.NodesFile;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How nvidia-imex is on this node: daemon, domain, the pairs of nodes that refuse to talk to each other, what else an
 * operator should know (one sentence each, with what to do), and what it all comes to.
 *
 * @param start when the process of a daemon that is ready started, in microseconds since the boot; empty otherwise, and where
 *     systemd cannot be queried
 * @param nodesFile the file of nodes; empty where nvidia-imex is not installed or has nothing to do
 */
public record ImexHealth(
        Instant at,
        DaemonHealth daemon,
        DomainHealth domain,
        List<LinkFault> faults,
        List<String> notes,
        Verdict verdict,
        OptionalLong start,
        Optional<NodesFile> nodesFile) {

    /** The health of a daemon of which neither its start nor its file of nodes is known. */
    public ImexHealth(
            Instant at,
            DaemonHealth daemon,
            DomainHealth domain,
            List<LinkFault> faults,
            List<String> notes,
            Verdict verdict) {
        this(at, daemon, domain, faults, notes, verdict, OptionalLong.empty(), Optional.empty());
    }

    public ImexHealth {
        faults = List.copyOf(faults);
        notes = List.copyOf(notes);
    }

    /** Whether this tells the same as the other, apart from the time and the restarts of a crash loop. */
    public boolean hasSameContentAs(ImexHealth other) {
        return verdict.repeats(other.verdict)
                && equals(new ImexHealth(
                        at,
                        other.daemon,
                        other.domain,
                        other.faults,
                        other.notes,
                        verdict,
                        other.start,
                        other.nodesFile));
    }

    /** Whether the domain is known, and not which of its nodes this one is. */
    public boolean missesItself() {
        return domain.report().filter(reported -> reported.local().isEmpty()).isPresent();
    }

    /** The verdict with cause and next step, one line for a log or the status of a pod. */
    public String line() {
        String cause = verdict.cause().isEmpty() ? "" : ": " + verdict.cause();
        String nextStep = verdict.nextStep().isEmpty() ? "" : "; " + verdict.nextStep();
        return verdict.summary() + cause + nextStep;
    }
}
