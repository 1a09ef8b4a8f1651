package io.imexagent.imex.bind;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.ObjectRef;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The holds that this node wants, and those that it certainly has ({@link Acknowledged}). This class decides on the
 * next call, one at a time, and processes its outcome. It uses neither threads nor clocks; not thread-safe.
 *
 * <p>A hold counts from the acknowledgement of a write that contains it, as long as no write without it may still take
 * effect.
 */
public final class HoldState {

    private final String session;
    private final EarlierHolds present;
    private final Optional<BootId> boot;
    private final Map<ComputeDomainUid, Hold> wanted;

    /** ComputeDomains that containers may still use although they are in no checkpoint. */
    private final Set<ComputeDomainUid> kept = new HashSet<>();

    private Optional<CliqueId> clique;
    private OptionalInt channels;
    private NodeStatus status = NodeStatus.NONE;

    /** The last known version of the object; empty if it must be read, or is missing. */
    private Optional<Stored<NvlinkNode>> seen = Optional.empty();

    private boolean missing;

    private boolean again;

    /** Whether another process may have written the object, so that it must be read before the next write. */
    private boolean doubted;

    private SortedSet<CliqueId> reported = new TreeSet<>();

    private final Acknowledged acknowledged = new Acknowledged();

    /** The treatment of holds of the same boot that the object has at the start of this process. */
    private enum EarlierHolds {
        /** The holds are those of the checkpoint. */
        COMPARED,
        /** The holds stay until the node boots again, because the checkpoint cannot be read. */
        KEPT,
        /**
         * Holds that bind a channel stay as they are, since an agent that only observes does not know the claims.
         * Reports of channel 0 are removed: their users are unknown.
         */
        LEFT
    }

    public sealed interface DueCall {

        record ReadHolds() implements DueCall {}

        record CreateHolds(NvlinkNode content) implements DueCall {}

        record ReplaceHolds(Stored<NvlinkNode> observed, NvlinkNode content) implements DueCall {}
    }

    /**
     * Creates the state of a process that has not written yet, with the holds of the checkpoint. {@code keepPresent} is
     * set if the checkpoint of this boot cannot be read; the holds in the node's object then stay.
     */
    public HoldState(
            String session,
            Collection<Hold> held,
            boolean keepPresent,
            Optional<CliqueId> clique,
            Optional<BootId> boot,
            OptionalInt channels) {
        this(session, held, keepPresent ? EarlierHolds.KEPT : EarlierHolds.COMPARED, clique, boot, channels);
    }

    private HoldState(
            String session,
            Collection<Hold> held,
            EarlierHolds present,
            Optional<CliqueId> clique,
            Optional<BootId> boot,
            OptionalInt channels) {
        this.session = session;
        this.present = present;
        this.boot = boot;
        this.clique = clique;
        this.channels = channels;
        this.wanted = NvlinkNode.byDomain(held);
    }

    /** Creates the state of an agent that only observes: holds in the object that bind a channel stay as they are. */
    static HoldState observing(String session, Optional<CliqueId> clique, Optional<BootId> boot, OptionalInt channels) {
        return new HoldState(session, List.of(), EarlierHolds.LEFT, clique, boot, channels);
    }

    /** Holds a ComputeDomain, or changes its channel. A kept hold does not become a report of channel 0. */
    public void want(Hold hold) {
        ComputeDomainUid domain = hold.domain().uid();
        if (!kept.contains(domain)) {
            wanted.put(domain, hold);
        } else if (hold.binds() || hold(domain).filter(Hold::binds).isEmpty()) {
            wanted.put(domain, kept(hold));
        }
    }

    /** Releases the hold of a ComputeDomain, unless containers that are in no checkpoint may use it. */
    public void release(ComputeDomainUid domain) {
        if (!kept.contains(domain)) {
            wanted.remove(domain);
        }
    }

    /**
     * Holds the ComputeDomains that are being prepared, and those in use with their channels; releases all others, but
     * for reports of channel 0. Returns whether the holds changed.
     */
    boolean align(Collection<DomainName> underWay, Map<ComputeDomainUid, Hold> inUse) {
        List<Hold> news = Stream.concat(
                        underWay.stream()
                                .filter(domain ->
                                        hold(domain.uid()).filter(Hold::binds).isEmpty())
                                .map(domain -> new Hold(domain, Optional.empty())),
                        inUse.values().stream()
                                .filter(hold -> !hold(hold.domain().uid())
                                        .map(held -> new Hold(held.domain(), held.channel()))
                                        .equals(Optional.of(hold))))
                .toList();
        news.forEach(this::want);
        List<DomainName> over = binding().stream()
                .filter(hold -> !hold.kept())
                .map(Hold::domain)
                .filter(domain -> !inUse.containsKey(domain.uid()) && !underWay.contains(domain))
                .toList();
        over.forEach(domain -> release(domain.uid()));
        return !news.isEmpty() || !over.isEmpty();
    }

    /** The hold that this node wants of the ComputeDomain; empty if it wants none. */
    public Optional<Hold> hold(ComputeDomainUid domain) {
        return Optional.ofNullable(wanted.get(domain));
    }

    /** Makes one more write due, even if the object is up to date. */
    public void again() {
        again = true;
    }

    /** Sets the node's clique and its number of channels. Channels in use also stay held in the earlier clique. */
    public void moved(Optional<CliqueId> to, OptionalInt count) {
        clique = to;
        channels = count;
    }

    public void update(NodeStatus news) {
        status = news;
    }

    public List<Hold> holds() {
        return List.copyOf(wanted.values());
    }

    /** The number of holds that stay until the node boots again. */
    long kept() {
        return wanted.values().stream().filter(Hold::kept).count();
    }

    /** The holds that have an entry in a table, or wait for one. */
    List<Hold> binding() {
        return wanted.values().stream().filter(Hold::binds).toList();
    }

    /** The other cliques in which channels in use are held; while there are any, no new ComputeDomain is bound. */
    public SortedSet<CliqueId> left() {
        var left = new TreeSet<>(cliques());
        clique.ifPresent(left::remove);
        return left;
    }

    /**
     * The number of the write since which the ComputeDomain is certainly held in this clique and no other; empty if it
     * is not. A channel that was read under the hold may be used only while this number stays the same: after a break
     * another ComputeDomain may have that channel.
     */
    public Optional<Long> heldSince(ComputeDomainUid domain, CliqueId in) {
        return wanted.containsKey(domain) ? acknowledged.since(domain, new TreeSet<>(Set.of(in))) : Optional.empty();
    }

    /** The call that is due; empty if the object is up to date. */
    public Optional<DueCall> due() {
        NvlinkNode next = next(acknowledged.writes() + 1);
        if (missing && !doubted) {
            return Optional.of(new DueCall.CreateHolds(next));
        }
        if (seen.isEmpty() || doubted) {
            return Optional.of(new DueCall.ReadHolds());
        }
        boolean done = !again
                && !acknowledged.unanswered()
                && acknowledged
                        .last()
                        .filter(cliques -> next(cliques.write()).equals(cliques))
                        .isPresent();
        return done ? Optional.empty() : Optional.of(new DueCall.ReplaceHolds(seen.get(), next));
    }

    private NvlinkNode next(long write) {
        return new NvlinkNode(
                session, write, cliques(), boot, channels, NvlinkNode.byDomain(wanted.values()), status, true);
    }

    /** The cliques for the object: the node's own and, while a channel is in use, the earlier ones. */
    private SortedSet<CliqueId> cliques() {
        boolean inUse = wanted.values().stream()
                .anyMatch(hold -> hold.binds()
                        && (hold.channel().isPresent()
                                || kept.contains(hold.domain().uid())));
        var cliques = new TreeSet<CliqueId>(inUse ? reported : Set.of());
        clique.ifPresent(cliques::add);
        return cliques;
    }

    /**
     * Processes the object from a watch; empty if it was deleted. If the content is this process's own last write, only
     * the version can be new, since the controller's mark changes it: the next write replaces that version. Any other
     * content makes the object be read, since a watch may be late.
     */
    public void observed(Optional<Stored<NvlinkNode>> object) {
        Optional<NvlinkNode> content = object.map(Stored::content);
        boolean present = content.filter(acknowledged::writes).isPresent();
        boolean past = content.filter(cliques -> cliques.session().equals(session))
                .flatMap(cliques -> acknowledged.last().filter(last -> cliques.write() < last.write()))
                .isPresent();
        doubted |= !present && !past;
        if (acknowledged.settled() && content.equals(acknowledged.last())) {
            object.filter(this::isNewer).ifPresent(newer -> seen = Optional.of(newer));
        }
    }

    private boolean isNewer(Stored<NvlinkNode> object) {
        return seen.filter(last ->
                        last.uid().equals(object.uid()) && ObjectRef.compare(last.version(), object.version()) < 0)
                .isPresent();
    }

    /** Processes a read of the object; empty if it does not exist. */
    public void read(Optional<Stored<NvlinkNode>> object) {
        doubted = false;
        seen = object;
        missing = object.isEmpty();
        object.ifPresent(found -> reported = found.content().cliques());
        if (!acknowledged.last().equals(object.map(Stored::content))) {
            acknowledged.forget();
        }
        if (acknowledged.writes() == 0) {
            object.map(Stored::content).ifPresent(this::takeOver);
        }
    }

    /**
     * Takes over the content of an earlier process: the names of ComputeDomains in use, which no checkpoint has, and
     * the holds that stay.
     */
    private void takeOver(NvlinkNode found) {
        // If either boot is unknown, the earlier holds count.
        boolean counts =
                found.boot().isEmpty() || boot.isEmpty() || found.boot().equals(boot);
        found.holds().forEach((domain, hold) -> {
            wanted.computeIfPresent(domain, (_, mine) -> new Hold(hold.domain(), mine.channel(), mine.kept()));
            if (counts && (present == EarlierHolds.KEPT || hold.kept())) {
                kept.add(domain);
                // A report of channel 0 does not replace the hold of a channel that containers may use.
                wanted.merge(domain, kept(hold), (mine, theirs) -> mine.binds() ? kept(mine) : theirs);
            } else if (counts && present == EarlierHolds.LEFT && hold.binds()) {
                wanted.putIfAbsent(domain, hold);
            }
        });
    }

    private static Hold kept(Hold hold) {
        return new Hold(hold.domain(), hold.channel(), true);
    }

    /** Records the start of a write; the next write differs from it, whatever its outcome. */
    public void started(NvlinkNode content) {
        acknowledged.started(content);
    }

    /** Records that the write was acknowledged. */
    public void written(Stored<NvlinkNode> object) {
        again = false;
        seen = Optional.of(object);
        missing = false;
        reported = object.content().cliques();
        acknowledged.written(object.content());
    }

    /**
     * Records that the write was refused. The content of the object is unknown: the answer to the first of two tries
     * may have been lost.
     */
    public void refused() {
        acknowledged.refused();
        lost();
    }

    /** Records that the outcome of the write or read is unknown. */
    public void lost() {
        acknowledged.lost();
        seen = Optional.empty();
        missing = false;
    }
}
