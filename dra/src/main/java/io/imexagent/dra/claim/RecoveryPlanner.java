package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Plans what a starting agent owes to the claims of its last life. Pure. */
public final class RecoveryPlanner {

    private RecoveryPlanner() {}

    /** Whether the ledger was written under another boot: then every prepared claim is void. */
    public static boolean rebooted(Ledger ledger, Optional<BootId> running) {
        return ledger.bootId().isPresent()
                && running.isPresent()
                && !ledger.bootId().equals(running);
    }

    /**
     * The effects that bring files and ledger together: after a reboot every claim is forgotten; CDI specs without an
     * entry go; a prepared claim gets its spec back, or gets it right, once the node can tell it.
     *
     * @param specs the claims that have a CDI spec of ours
     * @param boot the running boot; an unknown one voids nothing
     * @param spec what gives a prepared claim its CDI spec, as {@link ClaimRules#spec}
     */
    public static List<Effect> plan(
            Ledger ledger,
            Set<ClaimUid> specs,
            Optional<BootId> boot,
            Function<ClaimEntry.Completed, List<Effect>> spec) {
        boolean rebooted = rebooted(ledger, boot);
        var effects = new ArrayList<Effect>();
        specs.stream()
                .sorted()
                .filter(claim -> rebooted || ledger.entry(claim).isEmpty())
                .forEach(claim -> effects.add(new Effect.RemoveCdi(claim)));
        if (rebooted) {
            ledger.entries().keySet().forEach(claim -> effects.add(new Effect.ForgetEntry(claim)));
        } else {
            ledger.completed().forEach(entry -> effects.addAll(spec.apply(entry)));
        }
        return List.copyOf(effects);
    }
}
