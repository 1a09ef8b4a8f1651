package io.imexagent.dra.recovery;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.Objection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** Whether the claims of the agent's last life can be served, and with which ledger. */
public sealed interface RecoveryVerdict {

    /** They can, with this ledger, void after a reboot; {@code held} claims count as prepared by their CDI specs. */
    record Serve(Ledger ledger, boolean rebooted, SortedSet<ClaimUid> held) implements RecoveryVerdict {

        public Serve {
            held = Collections.unmodifiableSortedSet(new TreeSet<>(held));
        }

        /** The claims that are prepared: none after a reboot. */
        public Ledger valid() {
            return rebooted ? Ledger.empty(ledger.bootId()) : ledger;
        }
    }

    /** They cannot. */
    sealed interface Refuse extends RecoveryVerdict {

        Objection objection();
    }

    /** The checkpoint does not tell what containers may hold. */
    record Lost(Objection objection) implements Refuse {}

    /** The claims are not such as this agent may serve. */
    record Objected(Objection objection) implements Refuse {}
}
