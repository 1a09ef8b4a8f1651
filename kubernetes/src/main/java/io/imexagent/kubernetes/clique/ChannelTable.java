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

/** The channels of a clique that belong to ComputeDomains, each to one. Immutable; written whole over what was read. */
public record ChannelTable(SortedMap<ChannelId, ChannelEntry> entries) {

    /** The largest number of a channel that a table may give, and so the most entries that it can have. */
    public static final int LARGEST = 255;

    public static final ChannelTable EMPTY = new ChannelTable(new TreeMap<>());

    public ChannelTable {
        entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    }

    /** A table of these entries; of two for one channel the later one stays. */
    public static ChannelTable of(Collection<ChannelEntry> entries) {
        var table = new TreeMap<ChannelId, ChannelEntry>();
        entries.forEach(entry -> table.put(entry.id(), entry));
        return new ChannelTable(table);
    }

    /** The entry of a ComputeDomain; empty where it has none. */
    public Optional<ChannelEntry> of(ComputeDomainUid domain) {
        return entries.values().stream()
                .filter(entry -> entry.domain().uid().equals(domain))
                .findFirst();
    }

    /**
     * A channel for a ComputeDomain that this node holds: the one that it has, or else the one that its containers use, or
     * else the lowest that is free. Only a node whose hold counts may ask, and only of a table that was read after that.
     * {@code uses} is what is known to be used in the clique: a table that somebody damaged may lack it or contradict it,
     * and nothing is given against it.
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

    /** That an entry and a use exclude each other: one channel for two ComputeDomains, or two for one. */
    private static Optional<DoubleUse> against(ChannelEntry owner, ChannelEntry use) {
        return owner.id().equals(use.id()) == isOf(owner.domain(), use)
                ? Optional.empty()
                : Optional.of(new DoubleUse(owner, use));
    }

    /**
     * The table after one step of the controller, which frees in two of them what no node holds: an entry without a
     * holder is marked; a mark is taken back where there is a holder, and else the entry goes. What a node uses and the
     * table lacks is added; a channel that is another's by now stays that one's, see {@link #conflicts}.
     *
     * <p>Safe only where the holds were listed after this table was read, and the result is written over the version
     * that was read: a node that held before the mark is in the list, and one that holds later writes over the mark,
     * which makes that version past.
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

    /** What nodes use although the table gives it to another: each of a pair can reach the other's memory. */
    public List<DoubleUse> conflicts(Collection<Stored<NvlinkNode>> nodes) {
        return nodes.stream()
                .flatMap(node -> doubleUses(node.name(), node.content().holds().values()).stream())
                .toList();
    }

    /** What a node uses of this clique although the table gives it to another, or its ComputeDomain another number. */
    public List<DoubleUse> doubleUses(String node, Collection<Hold> holds) {
        return used(node, holds)
                .flatMap(use -> Optional.ofNullable(entries.get(use.id()))
                        .or(() -> of(use.domain().uid()))
                        .flatMap(owner -> against(owner, use))
                        .stream())
                .toList();
    }

    /** Whether it has an entry for each of these uses. One that has not was damaged: nodes use only what it gave them. */
    public boolean covers(Collection<ChannelEntry> uses) {
        return uses.stream()
                .allMatch(use -> Optional.ofNullable(entries.get(use.id()))
                        .filter(owner -> isOf(owner.domain(), use))
                        .isPresent());
    }

    /** The channels that a node uses by its holds, as the entries that they need. */
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
     * A channel that is used against the table: the entry that has it, or the same ComputeDomain's, which has another
     * channel; and the entry that its user would need.
     */
    public record DoubleUse(ChannelEntry owner, ChannelEntry user) {

        /** A sentence: which node uses whose channel of the clique for whom, what that means, what helps. */
        public String text(CliqueId clique) {
            return text(clique, DomainName::toString);
        }

        /** The same with other names for the ComputeDomains. Of two that have one name the UIDs tell. */
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

    /** How many channels each node has, channel 0 included, and how many those of one namespace may have. */
    public record Limits(int channels, int perNamespace) {}

    /** What a look at a clique's table gives to a node that wants a channel for a ComputeDomain which it holds. */
    public sealed interface BindPlan {

        record AlreadyBound(ChannelId id) implements BindPlan {}

        /** The table has to be written over the version that was read; after that it is looked at again. */
        record TableChange(ChannelTable table) implements BindPlan {}

        record TableFull(int taken) implements BindPlan {}

        /** The table, or what is used, speaks against each channel that the ComputeDomain could have. */
        record BindConflict(DoubleUse use) implements BindPlan {}

        /** The namespace has as many channels of the clique as it may, which are this many. */
        record QuotaReached(int taken) implements BindPlan {}
    }
}
