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
 * What this node wants to hold, and what it surely holds ({@link Acknowledged}): says which call comes next, one at a
 * time, and takes its outcome in. Knows neither threads nor clocks; not thread-safe.
 *
 * <p>A hold counts once a write that contains it was acknowledged, and as long as no write without it may still land.
 */
public final class HoldState {

    private final String session;
    private final EarlierHolds present;
    private final Optional<BootId> boot;
    private final Map<ComputeDomainUid, Hold> wanted;

    /** ComputeDomains that containers may still use although no checkpoint records it. */
    private final Set<ComputeDomainUid> kept = new HashSet<>();

    private Optional<CliqueId> clique;
    private OptionalInt channels;
    private NodeStatus status = NodeStatus.NONE;

    /** The object as it was seen last; empty while it has to be read, or is missing. */
    private Optional<Stored<NvlinkNode>> seen = Optional.empty();

    private boolean missing;

    private boolean again;

    /** Another process may have written the object, so it has to be read before the next write. */
    private boolean doubted;

    private SortedSet<CliqueId> reported = new TreeSet<>();

    private final Acknowledged acknowledged = new Acknowledged();

    /** How holds of the same boot that the object has at the start of this process are treated. */
    private enum EarlierHolds {
        /** The checkpoint says what is held. */
        COMPARED,
        /** They stay until the node boots again: the checkpoint cannot be read. */
        KEPT,
        /**
         * Those that bind stay as they are, since an agent that only observes does not know the claims. Reports of
         * channel 0 go: their users are unknown.
         */
        LEFT
    }

    public sealed interface DueCall {

        record ReadHolds() implements DueCall {}

        record CreateHolds(NvlinkNode content) implements DueCall {}

        record ReplaceHolds(Stored<NvlinkNode> observed, NvlinkNode content) implements DueCall {}
    }

    /**
     * The book of a process that has not written yet, which holds what the checkpoint says; {@code keepPresent} where
     * the checkpoint of this boot cannot be read: what the object holds stays held.
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

    /** The book of an agent that only observes: what the object binds stays as it is. */
    static HoldState observing(String session, Optional<CliqueId> clique, Optional<BootId> boot, OptionalInt channels) {
        return new HoldState(session, List.of(), EarlierHolds.LEFT, clique, boot, channels);
    }

    /** Holds a ComputeDomain from now on, or under this channel. What is kept becomes no report of channel 0. */
    public void want(Hold hold) {
        ComputeDomainUid domain = hold.domain().uid();
        if (!kept.contains(domain)) {
            wanted.put(domain, hold);
        } else if (hold.binds() || hold(domain).filter(Hold::binds).isEmpty()) {
            wanted.put(domain, kept(hold));
        }
    }

    /** Holds a ComputeDomain no longer, unless containers may use it of which no checkpoint knows. */
    public void release(ComputeDomainUid domain) {
        if (!kept.contains(domain)) {
            wanted.remove(domain);
        }
    }

    /**
     * Holds what is being prepared and what is in use, under its channel, and nothing else but channel 0. Returns
     * whether that changed anything.
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

    /** The hold that this node wants of the ComputeDomain; empty where it wants none. */
    public Optional<Hold> hold(ComputeDomainUid domain) {
        return Optional.ofNullable(wanted.get(domain));
    }

    /** The object is to be written once more, though it says what it should. */
    public void again() {
        again = true;
    }

    /**
     * The node is in this clique now, with so many channels. What is in use stays held in its clique of before, too.
     */
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

    /** How many holds stay until the node boots again. */
    long kept() {
        return wanted.values().stream().filter(Hold::kept).count();
    }

    /** Those that keep an entry of a table, or look for one. */
    List<Hold> binding() {
        return wanted.values().stream().filter(Hold::binds).toList();
    }

    /** The cliques in which what is in use is held, the node's own aside: while there are any, nothing new is bound. */
    public SortedSet<CliqueId> left() {
        var left = new TreeSet<>(cliques());
        clique.ifPresent(left::remove);
        return left;
    }

    /**
     * Since when the ComputeDomain is surely held in this clique and no other, as a number; empty where it is not. What
     * was read while it was held may be used only as long as the number is the same: after a break it may be another's.
     */
    public Optional<Long> heldSince(ComputeDomainUid domain, CliqueId in) {
        return wanted.containsKey(domain) ? acknowledged.since(domain, new TreeSet<>(Set.of(in))) : Optional.empty();
    }

    /** The call that is due; empty where the object says what it should. */
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

    /** Only where nothing is in use does the object leave the cliques that the node was in. */
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
     * A watch tells the object; empty where there is none. What this process has written itself is no news, but for the
     * version, which the controller's mark changes: the next write goes over that one. Anything else makes it read the
     * object, since a watch may be late.
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

    /** The object was read; empty where there is none. */
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

    /** An earlier process wrote this: the names of what is in use, which no checkpoint knows, and what stays held. */
    private void takeOver(NvlinkNode found) {
        // Where either does not know its boot, nothing is void.
        boolean counts =
                found.boot().isEmpty() || boot.isEmpty() || found.boot().equals(boot);
        found.holds().forEach((domain, hold) -> {
            wanted.computeIfPresent(domain, (_, mine) -> new Hold(hold.domain(), mine.channel(), mine.kept()));
            if (counts && (present == EarlierHolds.KEPT || hold.kept())) {
                kept.add(domain);
                // A report of channel 0 is no reason to give up a channel that containers may use.
                wanted.merge(domain, kept(hold), (mine, theirs) -> mine.binds() ? kept(mine) : theirs);
            } else if (counts && present == EarlierHolds.LEFT && hold.binds()) {
                wanted.putIfAbsent(domain, hold);
            }
        });
    }

    private static Hold kept(Hold hold) {
        return new Hold(hold.domain(), hold.channel(), true);
    }

    /** A write begins; the next one will be another, however this one ends. */
    public void started(NvlinkNode content) {
        acknowledged.started(content);
    }

    /** The write was acknowledged. */
    public void written(Stored<NvlinkNode> object) {
        again = false;
        seen = Optional.of(object);
        missing = false;
        reported = object.content().cliques();
        acknowledged.written(object.content());
    }

    /**
     * The write was refused. What the object says is not known: the answer to the first of two tries may have been
     * lost.
     */
    public void refused() {
        acknowledged.refused();
        lost();
    }

    /** The outcome of the write, or of the read, is not known. */
    public void lost() {
        acknowledged.lost();
        seen = Optional.empty();
        missing = false;
    }
}
