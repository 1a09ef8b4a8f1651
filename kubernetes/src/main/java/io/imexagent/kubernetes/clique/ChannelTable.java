package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.Stored;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The channels of a clique that belong to ComputeDomains, each to one. Immutable; a change replaces the whole table in
 * the version that was read.
 */
public record ChannelTable(SortedMap<ChannelId, ChannelEntry> entries) {

    /** The largest channel number that a table may assign, and so the most entries that it can have. */
    public static final int LARGEST = 255;

    public static final ChannelTable EMPTY = new ChannelTable(new TreeMap<>());

    public ChannelTable {
        entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    }

    /** Creates a table of these entries; if two have the same channel, the later one is kept. */
    public static ChannelTable of(Collection<ChannelEntry> entries) {
        var table = new TreeMap<ChannelId, ChannelEntry>();
        entries.forEach(entry -> table.put(entry.id(), entry));
        return new ChannelTable(table);
    }

    /** The entry of a ComputeDomain; empty if it has none. */
    public Optional<ChannelEntry> of(ComputeDomainUid domain) {
        return entries.values().stream()
                .filter(entry -> entry.domain().uid().equals(domain))
                .findFirst();
    }

    /**
     * Plans a channel for a ComputeDomain that this node holds: the one in its entry, otherwise the one that its
     * containers use, otherwise the lowest free one. Only a node whose hold is acknowledged may call this, and only on
     * a table that was read after that. {@code uses} are the channels known to be used in the clique. A damaged table
     * may lack or contradict them; no channel is assigned that conflicts with them.
     */
    public BindPlan bind(DomainName domain, String node, Limits limits, Collection<ChannelEntry> uses) {
        Optional<ChannelEntry> own = of(domain.uid());
        Optional<ChannelEntry> used =
                uses.stream().filter(use -> isOf(domain, use)).findFirst();
        Optional<DoubleUse> against = Stream.concat(own.stream(), used.stream())
                .flatMap(entry -> Stream.concat(
                        uses.stream().flatMap(use -> against(entry, use).stream()),
                        Optional.ofNullable(entries.get(entry.id())).flatMap(owner -> against(owner, entry)).stream()))
                .findFirst();
        if (against.isPresent()) {
            return new BindPlan.BindConflict(against.get());
        }
        if (own.isPresent()) {
            return own.get().state() == ChannelEntry.EntryState.ASSIGNED
                    ? new BindPlan.AlreadyBound(own.get().id())
                    : new BindPlan.TableChange(with(own.get().with(ChannelEntry.EntryState.ASSIGNED)));
        }
        return used.<BindPlan>map(use -> new BindPlan.TableChange(
                        with(new ChannelEntry(use.id(), domain, node, ChannelEntry.EntryState.ASSIGNED))))
                .orElseGet(() -> add(domain, node, limits, uses));
    }

    private BindPlan add(DomainName domain, String node, Limits limits, Collection<ChannelEntry> uses) {
        int ofNamespace = (int) entries.values().stream()
                .filter(entry -> entry.domain().namespace().equals(domain.namespace()))
                .count();
        if (ofNamespace >= limits.perNamespace()) {
            return new BindPlan.QuotaReached(ofNamespace);
        }
        Set<ChannelId> taken = new HashSet<>(entries.keySet());
        uses.forEach(use -> taken.add(use.id()));
        return IntStream.range(1, Math.min(limits.channels(), LARGEST + 1))
                .mapToObj(ChannelId::new)
                .filter(id -> !taken.contains(id))
                .findFirst()
                .<BindPlan>map(id -> new BindPlan.TableChange(
                        with(new ChannelEntry(id, domain, node, ChannelEntry.EntryState.ASSIGNED))))
                .orElseGet(() -> new BindPlan.TableFull(taken.size()));
    }

    private static boolean isOf(DomainName domain, ChannelEntry entry) {
        return entry.domain().uid().equals(domain.uid());
    }

    /**
     * The conflict between an entry and a use: one channel for two ComputeDomains, or two channels for one; empty if
     * there is none.
     */
    private static Optional<DoubleUse> against(ChannelEntry owner, ChannelEntry use) {
        return owner.id().equals(use.id()) == isOf(owner.domain(), use)
                ? Optional.empty()
                : Optional.of(new DoubleUse(owner, use));
    }

    /**
     * The table after one step of the controller, which frees a channel that no node holds in two steps. An entry
     * without a holder is first marked as releasing. In the next step the mark is removed if a node holds the entry,
     * otherwise the entry is removed. A channel that a node uses and the table lacks is added, unless the channel
     * belongs to another ComputeDomain by now, see {@link #conflicts}.
     *
     * <p>Safe only if the holds were listed after this table was read, and the result replaces the version that was
     * read: a node that held before the mark is in the list, and a node that holds later overwrites the mark, so that
     * the controller's write conflicts.
     */
    public ChannelTable settled(Collection<Stored<NvlinkNode>> nodes) {
        Set<ComputeDomainUid> held = nodes.stream()
                .flatMap(node -> node.content().holds().values().stream())
                .filter(Hold::binds)
                .map(hold -> hold.domain().uid())
                .collect(Collectors.toSet());
        var table = new TreeMap<ChannelId, ChannelEntry>();
        Set<ComputeDomainUid> present = new HashSet<>();
        for (ChannelEntry entry : entries.values()) {
            boolean holds = held.contains(entry.domain().uid());
            if (holds || entry.state() == ChannelEntry.EntryState.ASSIGNED) {
                table.put(
                        entry.id(),
                        entry.with(holds ? ChannelEntry.EntryState.ASSIGNED : ChannelEntry.EntryState.RELEASING));
                present.add(entry.domain().uid());
            }
        }
        nodes.stream()
                .flatMap(node -> used(node.name(), node.content().holds().values()))
                .filter(entry -> !table.containsKey(entry.id()))
                .filter(entry -> present.add(entry.domain().uid()))
                .forEach(entry -> table.put(entry.id(), entry));
        return new ChannelTable(table);
    }

    /**
     * The channels that nodes use although the table assigns them otherwise: pods of the two ComputeDomains can access
     * each other's memory.
     */
    public List<DoubleUse> conflicts(Collection<Stored<NvlinkNode>> nodes) {
        return nodes.stream()
                .flatMap(node -> doubleUses(node.name(), node.content().holds().values()).stream())
                .toList();
    }

    /**
     * The channels that a node uses although the table assigns them to another ComputeDomain, or another channel to
     * this one.
     */
    public List<DoubleUse> doubleUses(String node, Collection<Hold> holds) {
        return used(node, holds)
                .flatMap(use -> Optional.ofNullable(entries.get(use.id()))
                        .or(() -> of(use.domain().uid()))
                        .flatMap(owner -> against(owner, use))
                        .stream())
                .toList();
    }

    /**
     * Whether the table has an entry for each of these uses. If not, the table was damaged, because nodes use only
     * channels that it assigned.
     */
    public boolean covers(Collection<ChannelEntry> uses) {
        return uses.stream()
                .allMatch(use -> Optional.ofNullable(entries.get(use.id()))
                        .filter(owner -> isOf(owner.domain(), use))
                        .isPresent());
    }

    /** The channels that a node uses according to its holds, as the entries that a table needs for them. */
    public static List<ChannelEntry> uses(String node, Collection<Hold> holds) {
        return used(node, holds).toList();
    }

    private static Stream<ChannelEntry> used(String node, Collection<Hold> holds) {
        return holds.stream()
                .filter(hold -> hold.channel()
                        .filter(channel -> channel.number() > 0 && channel.number() <= LARGEST)
                        .isPresent())
                .map(hold ->
                        new ChannelEntry(hold.channel().get(), hold.domain(), node, ChannelEntry.EntryState.ASSIGNED));
    }

    private ChannelTable with(ChannelEntry entry) {
        var table = new TreeMap<>(entries);
        table.put(entry.id(), entry);
        return new ChannelTable(table);
    }

    /**
     * A use that contradicts the table: {@code owner} is the entry of that channel, or of the same ComputeDomain with
     * another channel; {@code user} is the entry that the use would need.
     */
    public record DoubleUse(ChannelEntry owner, ChannelEntry user) {

        /**
         * Describes the conflict in a sentence: the node, the channel, both ComputeDomains, the consequence and the
         * remedy.
         */
        public String text(CliqueId clique) {
            return text(clique, DomainName::toString);
        }

        /**
         * Describes the conflict with other names for the ComputeDomains. If both have the same name, their UIDs are
         * added.
         */
        public String text(CliqueId clique, Function<DomainName, String> names) {
            boolean alike =
                    !isOf(owner.domain(), user) && names.apply(owner.domain()).equals(names.apply(user.domain()));
            Function<DomainName, String> named =
                    domain -> names.apply(domain) + (alike ? " (UID " + domain.uid() + ")" : "");
            return "node " + user.by() + " uses channel " + user.id() + " of clique " + clique + " for ComputeDomain "
                    + named.apply(user.domain()) + ", but "
                    + (owner.id().equals(user.id())
                            ? "that channel belongs to ComputeDomain " + named.apply(owner.domain())
                                    + ": pods of both can reach each other's memory"
                            : "its channel there is " + owner.id() + ": pods of the ComputeDomain that gets "
                                    + "channel " + user.id() + " can reach its memory")
                    + "; end the pods of " + named.apply(user.domain()) + " on " + user.by() + " at once";
        }
    }

    /**
     * The number of channels of each node, channel 0 included, and the most channels that the ComputeDomains of one
     * namespace may have.
     */
    public record Limits(int channels, int perNamespace) {}

    /**
     * The next step of a node that needs a channel for a ComputeDomain that it holds, according to the clique's table.
     */
    public sealed interface BindPlan {

        record AlreadyBound(ChannelId id) implements BindPlan {}

        /** The changed table must replace the version that was read; then it is checked again. */
        record TableChange(ChannelTable table) implements BindPlan {}

        record TableFull(int taken) implements BindPlan {}

        /** The table or a use conflicts with the channel that the ComputeDomain has or uses. */
        record BindConflict(DoubleUse use) implements BindPlan {}

        /** The namespace already has its limit of channels in the clique; {@code taken} is their number. */
        record QuotaReached(int taken) implements BindPlan {}
    }
}
