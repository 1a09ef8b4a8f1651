package io.imexagent.imex.bind;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.retry.Backoff;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.BindPlan;
import io.imexagent.kubernetes.clique.ChannelTable.DoubleUse;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The ComputeDomains that wait for a channel on this node: says which call to their clique's table comes next, one at a
 * time, and takes its outcome in. Knows neither threads nor clocks; not thread-safe.
 *
 * <p>All that wait are written at once, over the last version that is known. The answer to a read or a write gives a
 * channel to those only that were added before the call began: each was held before it was added, so it was held when
 * that table was current.
 *
 * <p>A table that lacks what this node uses, or contradicts it, was damaged, and what it gives may be in use. Then the
 * queue lists the nodes of the clique first, and takes nothing that one of them uses.
 */
public final class BindQueue {

    /** The pauses before a read of the table, while the writes of other nodes overtake this one's. */
    static final Backoff OVERTAKEN = new Backoff(Duration.ofMillis(5), Duration.ofMillis(500), Duration.ofMillis(500));

    /** The server does not take what was written. */
    private static final Set<ApiFailure.FailureKind> REFUSED =
            Set.of(ApiFailure.FailureKind.ADMISSION, ApiFailure.FailureKind.INVALID);

    /**
     * Where a write of several entries is refused, as by the policy of an older version, so many are written one by
     * one.
     */
    private static final int ONE_BY_ONE = 64;

    private final String node;
    private final Supplier<ChannelTable.Limits> limits;

    /** What this node uses of its clique, as the entries that it needs. */
    private final Supplier<List<ChannelEntry>> own;

    /** What the other nodes use; empty if they were not listed since the table was read. */
    private Optional<List<ChannelEntry>> others = Optional.empty();

    /** In the order in which they came. */
    private final SortedMap<Long, WaitingBind> waiting = new TreeMap<>();

    private long added;

    /** The table as it was seen last; empty where it has to be read. */
    private Optional<ObservedTable> seen = Optional.empty();

    /** The last one that was added when the call under way began. */
    private long requestedAt;

    /** Those whose entries the write under way contains. */
    private List<Long> written = List.of();

    private int overtaken;
    private int oneByOne;

    private record WaitingBind(DomainName domain, CliqueId clique, Consumer<BindResult> answered) {}

    private record ObservedTable(CliqueId clique, Stored<NvlinkClique> table) {}

    public sealed interface TableCall {

        record ReadTable(CliqueId clique) implements TableCall {}

        /** A list of the clique's nodes: what they use. */
        record ListHolds(CliqueId clique) implements TableCall {}

        record WriteTable(Stored<NvlinkClique> observed, NvlinkClique content) implements TableCall {}
    }

    /** What becomes of a wait for a channel. */
    public sealed interface BindResult {

        record BindDone(ChannelId id) implements BindResult {}

        /**
         * So many ComputeDomains have a channel of the clique, and no channel is free; {@code least} is the node for
         * which there are no more, empty where the operator allows no more, or it is not known.
         */
        record BindTableFull(int taken, Optional<Least> least) implements BindResult {}

        /** So many ComputeDomains of the namespace have a channel, as many as may. */
        record BindQuotaReached(int taken) implements BindResult {}

        /** The table, or what nodes use, speaks against each channel that the ComputeDomain could have. */
        record BindConflicting(DoubleUse use) implements BindResult {}

        record BindWithoutTable() implements BindResult {}

        record BindFailed(ApiFailure why) implements BindResult {}

        record BindBroken(Throwable defect) implements BindResult {}
    }

    /** The node of a clique that has the fewest channels, and how many that leaves for ComputeDomains. */
    public record Least(String node, int channels) {}

    /** A queue that is empty, of this node, which uses this of its clique. */
    public BindQueue(String node, Supplier<ChannelTable.Limits> limits, Supplier<List<ChannelEntry>> own) {
        this.node = node;
        this.limits = limits;
        this.own = own;
    }

    /**
     * Waits for a channel of a ComputeDomain that the node surely holds in this clique. Returns the number under which
     * it waits; {@code answered} is called once, during a later call of this queue, unless it is removed.
     */
    public long add(DomainName domain, CliqueId clique, Consumer<BindResult> answered) {
        waiting.put(++added, new WaitingBind(domain, clique, answered));
        return added;
    }

    /** Waits no longer. An entry that is being written for it may stay: the controller frees what no node holds. */
    public void remove(long number) {
        waiting.remove(number);
    }

    /** How many wait. */
    int size() {
        return waiting.size();
    }

    /** How many came before this one and wait; empty where it does not wait itself. */
    public OptionalInt before(long number) {
        return waiting.containsKey(number)
                ? OptionalInt.of(waiting.headMap(number).size())
                : OptionalInt.empty();
    }

    /** Whether other nodes write the table so often that the writes of this one come too late. */
    public boolean isOvertaken() {
        return overtaken > 0;
    }

    /** How long to pause before {@link #due}, so that each of the nodes that write the table gets its turn. */
    public Duration pause(DoubleSupplier random) {
        return overtaken == 0 || seen.isPresent() || waiting.isEmpty()
                ? Duration.ZERO
                : OVERTAKEN.after(overtaken, random);
    }

    /** The call that is due; empty where nothing waits. */
    public Optional<TableCall> due() {
        if (waiting.isEmpty()) {
            seen = Optional.empty();
            others = Optional.empty();
            overtaken = 0;
            return Optional.empty();
        }
        CliqueId clique = waiting.values().iterator().next().clique();
        Optional<ObservedTable> last = seen.filter(table -> table.clique().equals(clique));
        if (last.filter(this::doubtful).isPresent()) {
            // What the nodes say changes nothing of when the table was read.
            return Optional.of(new TableCall.ListHolds(clique));
        }
        requestedAt = added;
        return Optional.of(last.flatMap(this::write).orElseGet(() -> new TableCall.ReadTable(clique)));
    }

    /** Whether the nodes of the clique have to be listed before anything is taken from this table. */
    private boolean doubtful(ObservedTable table) {
        return others.isEmpty() && !table.table().content().table().covers(own.get());
    }

    private List<ChannelEntry> uses() {
        return Stream.concat(own.get().stream(), others.stream().flatMap(List::stream))
                .toList();
    }

    /** A write of all that the table lacks; empty where it lacks nothing, or where the numbers have run out. */
    private Optional<TableCall> write(ObservedTable last) {
        NvlinkClique clique = last.table().content();
        ChannelTable.Limits within = within(clique);
        ChannelTable table = clique.table();
        List<ChannelEntry> uses = uses();
        var entries = new ArrayList<Long>();
        for (Map.Entry<Long, WaitingBind> one : waiting.entrySet()) {
            if (one.getValue().clique().equals(last.clique())
                    && (oneByOne == 0 || entries.isEmpty())
                    && table.bind(one.getValue().domain(), node, within, uses)
                            instanceof BindPlan.TableChange(var changed)) {
                table = changed;
                entries.add(one.getKey());
            }
        }
        written = List.copyOf(entries);
        return written.isEmpty()
                ? Optional.empty()
                : Optional.of(new TableCall.WriteTable(last.table(), clique.with(table)));
    }

    /** The channels that every node of the clique has, and that the operator allows. */
    private ChannelTable.Limits within(NvlinkClique clique) {
        ChannelTable.Limits allowed = limits.get();
        return clique.limit() > 0
                ? new ChannelTable.Limits(Math.min(clique.limit(), allowed.channels()), allowed.perNamespace())
                : allowed;
    }

    /** The clique's table was read; empty where there is none. */
    public void read(CliqueId clique, Optional<Stored<NvlinkClique>> table) {
        seen = table.map(found -> new ObservedTable(clique, found));
        others = Optional.empty();
        if (seen.isPresent()) {
            evaluate(seen.get());
        } else {
            answer(clique, new BindResult.BindWithoutTable());
        }
    }

    /** The nodes of the clique were listed. */
    public void nodesListed(CliqueId clique, List<Stored<NvlinkNode>> nodes) {
        others = Optional.of(nodes.stream()
                .filter(other -> !other.name().equals(node))
                .flatMap(other ->
                        ChannelTable.uses(other.name(), other.content().holds().values()).stream())
                .toList());
        seen.filter(last -> last.clique().equals(clique)).ifPresent(this::evaluate);
    }

    /** The write was acknowledged. Where others write too, the next one follows a pause and a read. */
    public void written(Stored<NvlinkClique> table) {
        CliqueId clique = seen.orElseThrow().clique();
        oneByOne = Math.max(0, oneByOne - 1);
        overtaken /= 2;
        var now = new ObservedTable(clique, table);
        seen = overtaken == 0 ? Optional.of(now) : Optional.empty();
        evaluate(now);
    }

    /** The call failed. Where its outcome is unknown, the entries may still come to stand. */
    public void failed(TableCall call, ApiFailure why) {
        switch (call) {
            case TableCall.ReadTable(CliqueId clique) -> answer(clique, new BindResult.BindFailed(why));
            case TableCall.ListHolds(CliqueId clique) -> {
                // Who came after the table was read waits for the next read.
                seen = Optional.empty();
                answer(clique, new BindResult.BindFailed(why));
            }
            case TableCall.WriteTable _
            when why.kind() == ApiFailure.FailureKind.CONFLICT -> {
                overtaken++;
                seen = Optional.empty();
            }
            case TableCall.WriteTable _
            when REFUSED.contains(why.kind()) && written.size() > 1 -> oneByOne = ONE_BY_ONE;
            case TableCall.WriteTable _
            when REFUSED.contains(why.kind()) ->
                written.forEach(number -> answer(number, new BindResult.BindFailed(why)));
            case TableCall.WriteTable _ -> {
                CliqueId clique = seen.orElseThrow().clique();
                seen = Optional.empty();
                answer(clique, new BindResult.BindFailed(why));
            }
        }
    }

    /** A defect shows: nothing that waits is looked for any further. */
    public void broken(Throwable defect) {
        seen = Optional.empty();
        List.copyOf(waiting.keySet()).forEach(number -> answer(number, new BindResult.BindBroken(defect)));
    }

    private void evaluate(ObservedTable table) {
        NvlinkClique content = table.table().content();
        if (doubtful(table)) {
            return;
        }
        ChannelTable.Limits within = within(content);
        List<ChannelEntry> uses = uses();
        List.copyOf(asking(table.clique()).entrySet())
                .forEach(one -> answer(
                                content, content.table().bind(one.getValue().domain(), node, within, uses))
                        .ifPresent(answer -> answer(one.getKey(), answer)));
    }

    private Optional<BindResult> answer(NvlinkClique clique, BindPlan binding) {
        return switch (binding) {
            case BindPlan.AlreadyBound(ChannelId id) -> Optional.of(new BindResult.BindDone(id));
            case BindPlan.TableChange _ -> Optional.empty();
            case BindPlan.BindConflict(DoubleUse use) -> Optional.of(new BindResult.BindConflicting(use));
            case BindPlan.TableFull(int taken) ->
                Optional.of(new BindResult.BindTableFull(
                        taken,
                        clique.limitedBy()
                                .filter(node -> clique.limit() < limits.get().channels())
                                .map(node -> new Least(node, clique.limit() - 1))));
            case BindPlan.QuotaReached(int taken) -> Optional.of(new BindResult.BindQuotaReached(taken));
        };
    }

    private void answer(CliqueId clique, BindResult answer) {
        List.copyOf(asking(clique).keySet()).forEach(number -> answer(number, answer));
    }

    private void answer(long number, BindResult answer) {
        Optional.ofNullable(waiting.remove(number))
                .ifPresent(one -> one.answered().accept(answer));
    }

    /** Those of the clique that had been added when the call under way began. */
    private SortedMap<Long, WaitingBind> asking(CliqueId clique) {
        var asking = new TreeMap<>(waiting.headMap(requestedAt + 1));
        asking.values().removeIf(one -> !one.clique().equals(clique));
        return asking;
    }
}
