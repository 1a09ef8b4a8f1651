package io.imexagent.rdma.rails;

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
 * Claims for RDMA NICs that are prepared, and that no driver would end once RDMA is switched off: their pods would stay
 * Terminating. Reads, and writes nothing.
 */
public final class LeftRails {

    private static final Logger LOG = LoggerFactory.getLogger(LeftRails.class);

    private LeftRails() {}

    /**
     * Why RDMA must not be off; empty where it may. A record that cannot be read does not keep the agent from starting.
     *
     * @param file the record of claims for RDMA NICs
     * @param boot the running boot; claims of an earlier one are void
     */
    public static Optional<Objection> objection(Path file, Optional<BootId> boot) {
        try {
            return CheckpointReader.prepared(file, RailRules.RECORD, boot).map(LeftRails::left);
        } catch (IOException failure) {
            LOG.warn("cannot tell whether claims for RDMA NICs are left behind reason=\"{}\"", failure.getMessage());
            return Optional.empty();
        }
    }

    private static Objection left(Ledger ledger) {
        return new Objection(
                "claims for RDMA NICs are prepared on this node, and rdma.enabled is off now: they would never end,"
                        + " and their pods would stay Terminating.",
                Objection.claims(ledger),
                "set rdma.enabled back to true and start imex-agent; cordon the node and drain its workloads with RDMA"
                        + " NICs (kubectl drain); then switch it off. A reboot of the drained node voids its claims as"
                        + " well. imex-agent run --force starts all the same.");
    }
}
