package io.imexagent.dra.recovery;

import io.imexagent.core.ledger.Ledger;

/** What became of the claims of the agent's last life. */
public sealed interface Recovered {

    /**
     * Ledger, checkpoint and CDI specs agree; claims can be served. Blind where no checkpoint could be read: containers
     * may run of which the ledger does not know.
     */
    record Ready(Ledger ledger, boolean blind) implements Recovered {}

    /**
     * The agent must not serve claims here, and has changed nothing but to move broken checkpoints aside. The reason
     * tells the way out, in several lines.
     */
    record Refused(String reason) implements Recovered {}
}
