package io.imexagent.imex.bind;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The ComputeDomains of this node's claims, both prepared and being prepared. Not thread-safe. */
final class ClaimHolds {

    /** The holds of prepared claims, each with a channel of its clique or with channel 0. */
    private Map<ComputeDomainUid, Hold> used = new HashMap<>();

    /** The ComputeDomains of claims for a channel of a clique, by the thread that prepares the claim. */
    private final Map<Thread, DomainName> underWay = new HashMap<>();

    /** The ComputeDomains of claims for channel 0, by the thread that prepares the claim. */
    private final Map<Thread, DomainName> named = new HashMap<>();

    void begin(DomainName domain) {
        underWay.put(Thread.currentThread(), domain);
    }

    void name(DomainName domain) {
        named.put(Thread.currentThread(), domain);
    }

    /** Ends the prepare of the calling thread. Returns whether {@link #begin} had started it. */
    boolean end() {
        named.remove(Thread.currentThread());
        return underWay.remove(Thread.currentThread()) != null;
    }

    boolean nonePrepares() {
        return underWay.isEmpty();
    }

    /**
     * Updates the state to the ComputeDomains of prepared claims and of those being prepared. Returns whether it
     * changed.
     */
    boolean align(HoldState state) {
        return state.align(underWay.values(), binding());
    }

    /** The holds of all prepared claims. */
    Collection<Hold> used() {
        return used.values();
    }

    /** The holds of prepared claims that use a channel of their clique. */
    Map<ComputeDomainUid, Hold> binding() {
        return NvlinkNode.byDomain(used.values().stream().filter(Hold::binds).toList());
    }

    /** The holds of prepared claims that use channel 0. */
    Map<ComputeDomainUid, Hold> sharing() {
        return NvlinkNode.byDomain(
                used.values().stream().filter(hold -> !hold.binds()).toList());
    }

    /** Gives its name to a ComputeDomain of which only the UID was known. */
    void rename(DomainName found) {
        used.computeIfPresent(found.uid(), (_, hold) -> new Hold(found, hold.channel()));
    }

    /**
     * Takes the prepared claims from the ledger, which lacks the names of ComputeDomains. The name comes from a prepare
     * that has read it, or from a hold, whose name may be a placeholder. Claims of channel 0 whose ComputeDomain is not
     * a UID, which other drivers may have written, are left out.
     */
    void follow(Ledger ledger, Function<ComputeDomainUid, Optional<Hold>> held) {
        Map<ComputeDomainUid, Hold> now = new HashMap<>();
        for (ClaimEntry.Completed claim : ledger.completed()) {
            for (PreparedGroup group : claim.groups()) {
                for (PreparedDevice device : group.devices()) {
                    if (device instanceof PreparedDevice.Channel(var id, var _)
                            && device.reachesContainers()
                            && (id.number() > 0 || group.computeDomain().matches(ComputeDomainUid.UUID))) {
                        var uid = new ComputeDomainUid(group.computeDomain());
                        DomainName name = known(uid, held).orElseGet(() -> unknown(uid, claim));
                        now.merge(uid, new Hold(name, Optional.of(id)), (one, other) -> other.binds() ? other : one);
                    }
                }
            }
        }
        used = now;
    }

    private Optional<DomainName> known(ComputeDomainUid domain, Function<ComputeDomainUid, Optional<Hold>> held) {
        return Stream.concat(named.values().stream(), underWay.values().stream())
                .filter(name -> name.uid().equals(domain))
                .findFirst()
                .or(() -> held.apply(domain)
                        .or(() -> Optional.ofNullable(used.get(domain)))
                        .map(Hold::domain));
    }

    private static DomainName unknown(ComputeDomainUid uid, ClaimEntry.Completed claim) {
        return DomainNames.unknown(
                uid, claim.name().map(name -> name.namespace()).orElse("unknown"));
    }
}
