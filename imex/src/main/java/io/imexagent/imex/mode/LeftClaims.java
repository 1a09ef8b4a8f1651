package io.imexagent.imex.mode;

import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.CheckpointReader;
import io.imexagent.dra.claim.Objection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims that this agent has prepared and that nobody would serve or end once it only observes: switching
 * HostManagedIMEX off is a change of mode too. Reads, and writes nothing.
 */
public final class LeftClaims {

    private static final Logger LOG = LoggerFactory.getLogger(LeftClaims.class);

    private final ModeFile file;
    private final Path checkpoint;

    /**
     * Claims of this node.
     *
     * @param file the mode under which this agent has prepared claims; where there is none it has prepared none
     */
    public LeftClaims(ModeFile file, Path checkpoint) {
        this.file = file;
        this.checkpoint = checkpoint;
    }

    /**
     * Why the agent must not stop to serve; empty where it may. What cannot be read keeps nobody from observing.
     *
     * @param boot the running boot; claims of an earlier one are void
     */
    public Optional<Objection> objection(Optional<BootId> boot) {
        try {
            return file.read() instanceof ModeFile.Reading.Recorded recorded
                    ? CheckpointReader.prepared(checkpoint, CheckpointFormat.PUBLIC_DRIVER, boot)
                            .map(ledger -> left(recorded, ledger))
                    : Optional.empty();
        } catch (IOException failure) {
            LOG.warn("cannot tell whether claims are left behind reason=\"{}\"", failure.getMessage());
            return Optional.empty();
        }
    }

    private static Objection left(ModeFile.Reading.Recorded recorded, Ledger ledger) {
        return new Objection(
                "claims on this node were prepared under \"" + recorded.mode().text()
                        + "\", and HostManagedIMEX is off now: no driver would serve or end them.",
                Objection.claims(ledger),
                "set featureGates.HostManagedIMEX back to true and start imex-agent; cordon the node and drain its"
                        + " ComputeDomain workloads (kubectl drain); then switch it off. Or start the public driver's"
                        + " plugin, host-managed, which takes the claims over, before imex-agent. A reboot of the"
                        + " drained node voids its claims as well. imex-agent run --force observes all the same.");
    }
}
