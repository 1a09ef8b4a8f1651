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

/**
 * The ComputeDomains of this node's claims: of those that are prepared, and of those being prepared. Not thread-safe.
 */
final class ClaimHolds {

    /** By prepared claims, each under a channel of its clique, or under channel 0. */
    private Map<ComputeDomainUid, Hold> used = new HashMap<>();

    /** By the thread that prepares a claim with a channel of its clique. */
    private final Map<Thread, DomainName> underWay = new HashMap<>();

    /** By the thread that prepares a claim of channel 0. */
    private final Map<Thread, DomainName> named = new HashMap<>();

    void begin(DomainName domain) {
        underWay.put(Thread.currentThread(), domain);
    }

    void name(DomainName domain) {
        named.put(Thread.currentThread(), domain);
    }

    /** The prepare of the calling thread is over. Returns whether it was one of {@link #begin}. */
    boolean end() {
        named.remove(Thread.currentThread());
        return underWay.remove(Thread.currentThread()) != null;
    }

    boolean nonePrepares() {
        return underWay.isEmpty();
    }

    /**
     * Makes the state hold the ComputeDomains of prepared claims and of those being prepared. Returns whether it
     * changed.
     */
    boolean align(HoldState state) {
        return state.align(underWay.values(), binding());
    }

    /** All that prepared claims use. */
    Collection<Hold> used() {
        return used.values();
    }

    /** What prepared claims use under a channel of their clique. */
    Map<ComputeDomainUid, Hold> binding() {
        return NvlinkNode.byDomain(used.values().stream().filter(Hold::binds).toList());
    }

    /** What prepared claims use under channel 0. */
    Map<ComputeDomainUid, Hold> sharing() {
        return NvlinkNode.byDomain(
                used.values().stream().filter(hold -> !hold.binds()).toList());
    }

    /** A ComputeDomain of which only the UID was known is called so. */
    void rename(DomainName found) {
        used.computeIfPresent(found.uid(), (_, hold) -> new Hold(found, hold.channel()));
    }

    /**
     * Takes the prepared claims from the ledger, which does not know what a ComputeDomain is called: a prepare does
     * that has read it, or else a hold, which may have guessed. Other drivers may have written claims of channel 0
     * whose ComputeDomain is no UID: they are left out.
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
