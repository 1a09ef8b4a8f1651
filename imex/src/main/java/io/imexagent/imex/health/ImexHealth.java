package io.imexagent.imex.health;

import io.imexagent.core.inventory.NodesFile;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The health of nvidia-imex on this node: daemon, domain, the pairs of nodes that refuse each other's connections,
 * other notes for an operator (one sentence each, with the remedy), and the verdict.
 *
 * @param start the start of a ready daemon's process, in microseconds since the boot; empty otherwise, and if systemd
 *     cannot be queried
 * @param nodesFile the file of nodes; empty if nvidia-imex is not installed or has nothing to do
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

    public ImexHealth {
        faults = List.copyOf(faults);
        notes = List.copyOf(notes);
    }

    /** Whether both have the same content, apart from the time and the restarts of a crash loop. */
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

    /** Whether the domain is known, but this node's place in it is not. */
    public boolean missesItself() {
        return domain.report().filter(reported -> reported.local().isEmpty()).isPresent();
    }

    /** The verdict with cause and next step, in one line for a log or the status of a pod. */
    public String line() {
        String cause = verdict.cause().isEmpty() ? "" : ": " + verdict.cause();
        String nextStep = verdict.nextStep().isEmpty() ? "" : "; " + verdict.nextStep();
        return verdict.summary() + cause + nextStep;
    }
}
