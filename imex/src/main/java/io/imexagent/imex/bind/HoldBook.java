package io.imexagent.imex.bind;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What this node wants to hold, and what it surely holds. It says which call is to be made next, and is told how that went;
 * one call is under way at a time. Knows neither threads nor clocks; not thread-safe.
 *
 * <p>A hold counts once a write that contains it was acknowledged, and as long as no write without it may still land. A
 * write whose outcome nobody knows is past as soon as a later one is acknowledged: each is bound to the version that it
 * was made over, and changes it.
 */
public final class HoldBook {

    private final String session;
    private final boolean keepPresent;
    private final Optional<BootId> boot;
    private final OptionalInt channels;
    private final Map<ComputeDomainUid, Hold> wanted;

    /** What containers may use of which no checkpoint knows. */
    private final Set<ComputeDomainUid> kept = new HashSet<>();

    private Optional<CliqueId> clique;
    private long writes;

    /** The object as it was seen last; empty while it has to be read, or is missing. */
    private Optional<Stored<NvlinkNode>> seen = Optional.empty();

    private boolean missing;

    /** The clique that the object told last. */
    private Optional<CliqueId> told = Optional.empty();

    /** What the object says by a write of this process; empty before there was one, and after somebody else's. */
    private Optional<NvlinkNode> acknowledged = Optional.empty();

    /** The write that is under way. */
    private Optional<Said> underWay = Optional.empty();

    /** Writes of this process of which nobody knows whether they have happened, or will. */
    private final Set<Said> unknown = new HashSet<>();

    /** Since which write each ComputeDomain is held without a break. */
    private final Map<ComputeDomainUid, Long> since = new HashMap<>();

    /** What of a write matters for holds. */
    private record Said(Optional<CliqueId> clique, Set<ComputeDomainUid> domains) {

        static Said by(NvlinkNode content) {
            return new Said(content.clique(), content.holds().keySet());
        }

        boolean holds(ComputeDomainUid domain, Optional<CliqueId> in) {
            return domains.contains(domain) && clique.equals(in);
        }
    }

    /** The call that is due. */
    public sealed interface Call {

        /** The object has to be read. */
        record Read() implements Call {}

        /**
         * The object has to be made.
         *
         * @param content what it says
         */
        record Create(NvlinkNode content) implements Call {}

        /**
         * The object has to be replaced, unless it has changed.
         *
         * @param observed as it must be still
         * @param content what it says from then on
         */
        record Replace(Stored<NvlinkNode> observed, NvlinkNode content) implements Call {}
    }

    /**
     * The book of a process that has not written yet.
     *
     * @param session this process: random
     * @param held what is in use according to the checkpoint
     * @param keepPresent whether what the object holds stays held: the checkpoint of this boot cannot be read
     * @param clique the node's clique
     * @param boot the running boot
     * @param channels how many channels the driver has
     */
    public HoldBook(
            String session,
            Collection<Hold> held,
            boolean keepPresent,
            Optional<CliqueId> clique,
            Optional<BootId> boot,
            OptionalInt channels) {
        this.session = session;
        this.keepPresent = keepPresent;
        this.clique = clique;
        this.boot = boot;
        this.channels = channels;
        this.wanted = NvlinkNode.byDomain(held);
    }

    /** Holds a ComputeDomain from now on, or under this channel. */
    public void want(Hold hold) {
        wanted.put(hold.domain().uid(), hold);
    }

    /** Holds a ComputeDomain no longer, unless containers may use it of which no checkpoint knows. */
    public void release(ComputeDomainUid domain) {
        if (!kept.contains(domain)) {
            wanted.remove(domain);
        }
    }

    /** Whether this node wants to hold the ComputeDomain. */
    public boolean holds(ComputeDomainUid domain) {
        return wanted.containsKey(domain);
    }

    /** The node is in this clique by now. What is in use stays held in the clique in which it came into use. */
    public void moved(Optional<CliqueId> to) {
        clique = to;
    }

    /**
     * Since when the ComputeDomain is surely held in this clique, as a number; empty where it is not. What was read while
     * it was held may be used only as long as the number is the same: after a break it may be another's.
     */
    public Optional<Long> heldSince(ComputeDomainUid domain, CliqueId in) {
        return wanted.containsKey(domain) && said(domain, Optional.of(in))
                ? Optional.ofNullable(since.get(domain))
                : Optional.empty();
    }

    /** Whether the object says so, and no write of this process that may still happen, or has, says otherwise. */
    private boolean said(ComputeDomainUid domain, Optional<CliqueId> in) {
        return acknowledged.isPresent()
                && Stream.of(acknowledged.map(Said::by).stream(), unknown.stream(), underWay.stream())
                        .flatMap(said -> said)
                        .allMatch(said -> said.holds(domain, in));
    }

    /** The call that is due; empty where the object says what it should. */
    public Optional<Call> due() {
        NvlinkNode next = next();
        if (missing) {
            return Optional.of(new Call.Create(next));
        }
        if (seen.isEmpty()) {
            return Optional.of(new Call.Read());
        }
        boolean done = unknown.isEmpty()
                && acknowledged
                        .filter(said -> said.holds().equals(next.holds())
                                && said.clique().equals(next.clique()))
                        .isPresent();
        return done ? Optional.empty() : Optional.of(new Call.Replace(seen.get(), next));
    }

    /** What the next write says. Only where nothing is in use does it follow the node into another clique. */
    private NvlinkNode next() {
        boolean inUse = !kept.isEmpty()
                || wanted.values().stream().anyMatch(hold -> hold.channel().isPresent());
        return new NvlinkNode(
                session,
                writes,
                inUse ? told.or(() -> clique) : clique,
                boot,
                channels,
                NvlinkNode.byDomain(wanted.values()));
    }

    /** The object was read, or seen; empty where there is none. */
    public void read(Optional<Stored<NvlinkNode>> object) {
        seen = object;
        missing = object.isEmpty();
        object.ifPresent(found -> told = found.content().clique());
        if (!acknowledged.equals(object.map(Stored::content))) {
            forget();
        }
        if (keepPresent && writes == 0) {
            object.map(Stored::content).filter(this::ofThisBoot).ifPresent(found -> {
                found.holds().forEach(wanted::putIfAbsent);
                kept.addAll(found.holds().keySet());
            });
        }
    }

    /** A write begins; the next one will be another, however this one ends. */
    public void begun(NvlinkNode content) {
        writes++;
        underWay = Optional.of(Said.by(content));
    }

    /** The write was acknowledged. */
    public void written(Stored<NvlinkNode> object) {
        seen = Optional.of(object);
        missing = false;
        told = object.content().clique();
        Set<ComputeDomainUid> holds = object.content().holds().keySet();
        holds.stream().filter(domain -> !said(domain, told)).forEach(domain -> since.put(domain, writes));
        since.keySet().retainAll(holds);
        acknowledged = Optional.of(object.content());
        underWay = Optional.empty();
        unknown.clear();
    }

    /**
     * The write was refused: the object has changed, or is gone, or is there already, or may not be written so. What it
     * says is not known any more, since the answer to the first of two tries may have been lost.
     */
    public void refused() {
        underWay = Optional.empty();
        forget();
        lost();
    }

    /** Nobody knows whether the write, or the read, has happened, or will. */
    public void lost() {
        underWay.ifPresent(unknown::add);
        underWay = Optional.empty();
        seen = Optional.empty();
        missing = false;
    }

    private void forget() {
        acknowledged = Optional.empty();
        since.clear();
    }

    /** Where either does not know its boot, nothing is void. */
    private boolean ofThisBoot(NvlinkNode found) {
        return found.boot().isEmpty() || boot.isEmpty() || found.boot().equals(boot);
    }
}
