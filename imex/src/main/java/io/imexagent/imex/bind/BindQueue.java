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
 * The ComputeDomains that wait for a channel on this node. The queue decides on the next call to their clique's table,
 * one at a time, and processes its outcome. It uses neither threads nor clocks. Thread-safe; {@code answered} and the
 * suppliers are called under its monitor.
 *
 * <p>One write of the table contains all that wait, and replaces the last known version. The answer to a read or a
 * write assigns channels only to ComputeDomains that were added before the call began: each was held before it was
 * added, and so was held when that table was current.
 *
 * <p>A table that lacks what this node uses, or contradicts it, was damaged, and its channels may be in use. Then the
 * queue lists the nodes of the clique first, and binds no channel that one of them uses.
 */
public final class BindQueue {

    /** The pauses before a read of the table, while other nodes write the table before this node's writes arrive. */
    static final Backoff OVERTAKEN = new Backoff(Duration.ofMillis(5), Duration.ofMillis(500), Duration.ofMillis(500));

    /** The kinds of failure that mean that the server rejects the content of a write. */
    private static final Set<ApiFailure.FailureKind> REFUSED =
            Set.of(ApiFailure.FailureKind.ADMISSION, ApiFailure.FailureKind.INVALID);

    /**
     * After a write of several entries was rejected, for example by the policy of an older version, this many writes
     * have one entry each.
     */
    private static final int ONE_BY_ONE = 64;

    private final String node;
    private final Supplier<ChannelTable.Limits> limits;

    /** The entries of the table that this node needs for the channels that it uses. */
    private final Supplier<List<ChannelEntry>> own;

    /** The entries that the other nodes need; empty if the nodes were not listed since the table was read. */
    private Optional<List<ChannelEntry>> others = Optional.empty();

    /** By number, in order of arrival. */
    private final SortedMap<Long, WaitingBind> waiting = new TreeMap<>();

    private long added;

    /** The last known version of the table; empty if it must be read. */
    private Optional<ObservedTable> seen = Optional.empty();

    /** The number of the last ComputeDomain that was added before the current call began. */
    private long requestedAt;

    /** The numbers of the ComputeDomains whose entries the current write contains. */
    private List<Long> written = List.of();

    private int overtaken;
    private int oneByOne;

    private record WaitingBind(DomainName domain, CliqueId clique, Consumer<BindResult> answered) {}

    private record ObservedTable(CliqueId clique, Stored<NvlinkClique> table) {}

    public sealed interface TableCall {

        record ReadTable(CliqueId clique) implements TableCall {}

        /** Lists the clique's nodes, to find the channels that they use. */
        record ListHolds(CliqueId clique) implements TableCall {}

        record WriteTable(Stored<NvlinkClique> observed, NvlinkClique content) implements TableCall {}
    }

    /** The result of a wait for a channel. */
    public sealed interface BindResult {

        record BindDone(ChannelId id) implements BindResult {}

        /**
         * No channel of the clique is free; {@code taken} is the number of ComputeDomains that have one. {@code least}
         * is the node that limits the number of channels; empty if the operator's limit is lower, or the node is
         * unknown.
         */
        record BindTableFull(int taken, Optional<Least> least) implements BindResult {}

        /** The namespace is at its limit; {@code taken} of its ComputeDomains have a channel. */
        record BindQuotaReached(int taken) implements BindResult {}

        /** Each channel that the ComputeDomain could have is excluded, by the table or by its use on a node. */
        record BindConflicting(DoubleUse use) implements BindResult {}

        record BindWithoutTable() implements BindResult {}

        record BindFailed(ApiFailure why) implements BindResult {}

        record BindBroken(Throwable defect) implements BindResult {}
    }

    /** The node of a clique with the fewest channels, and the number that this leaves for ComputeDomains. */
    public record Least(String node, int channels) {}

    /** Creates an empty queue for this node; {@code own} supplies the table entries for the channels that it uses. */
    public BindQueue(String node, Supplier<ChannelTable.Limits> limits, Supplier<List<ChannelEntry>> own) {
        this.node = node;
        this.limits = limits;
        this.own = own;
    }

    /**
     * Adds a ComputeDomain that the node certainly holds in this clique to those that wait. Returns its number in the
     * queue; {@code answered} is called once, during a later call of this queue, unless the number is removed.
     */
    public synchronized long add(DomainName domain, CliqueId clique, Consumer<BindResult> answered) {
        waiting.put(++added, new WaitingBind(domain, clique, answered));
        return added;
    }

    /** Ends the wait of a number. An entry being written may stay: the controller frees channels without a hold. */
    public synchronized void remove(long number) {
        waiting.remove(number);
    }

    /** The number of ComputeDomains that wait. */
    synchronized int size() {
        return waiting.size();
    }

    /** The number of ComputeDomains that wait and came before this one; empty if this one does not wait. */
    public synchronized OptionalInt before(long number) {
        return waiting.containsKey(number)
                ? OptionalInt.of(waiting.headMap(number).size())
                : OptionalInt.empty();
    }

    /** Whether other nodes write the table so often that this node's writes conflict with theirs. */
    public synchronized boolean isOvertaken() {
        return overtaken > 0;
    }

    /** The pause before {@link #due}, so that each node that writes the table gets its turn. */
    public synchronized Duration pause(DoubleSupplier random) {
        return overtaken == 0 || seen.isPresent() || waiting.isEmpty()
                ? Duration.ZERO
                : OVERTAKEN.after(overtaken, random);
    }

    /** The call that is due; empty if nothing waits. */
    public synchronized Optional<TableCall> due() {
        if (waiting.isEmpty()) {
            seen = Optional.empty();
            others = Optional.empty();
            overtaken = 0;
            return Optional.empty();
        }
        CliqueId clique = waiting.values().iterator().next().clique();
        Optional<ObservedTable> last = seen.filter(table -> table.clique().equals(clique));
        if (last.filter(this::doubtful).isPresent()) {
            // requestedAt stays: the list of the nodes does not change the time at which the table was read.
            return Optional.of(new TableCall.ListHolds(clique));
        }
        requestedAt = added;
        return Optional.of(last.flatMap(this::write).orElseGet(() -> new TableCall.ReadTable(clique)));
    }

    /** Whether the nodes of the clique must be listed before a channel of this table is used. */
    private boolean doubtful(ObservedTable table) {
        return others.isEmpty() && !table.table().content().table().covers(own.get());
    }

    private List<ChannelEntry> uses() {
        return Stream.concat(own.get().stream(), others.stream().flatMap(List::stream))
                .toList();
    }

    /** A write of all entries that the table lacks; empty if it lacks none, or if no channel is free for them. */
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

    /** The limits on channels: those of every node of the clique, and those of the operator. */
    private ChannelTable.Limits within(NvlinkClique clique) {
        ChannelTable.Limits allowed = limits.get();
        return clique.limit() > 0
                ? new ChannelTable.Limits(Math.min(clique.limit(), allowed.channels()), allowed.perNamespace())
                : allowed;
    }

    /** Processes a read of the clique's table; empty if the table does not exist. */
    public synchronized void read(CliqueId clique, Optional<Stored<NvlinkClique>> table) {
        seen = table.map(found -> new ObservedTable(clique, found));
        others = Optional.empty();
        if (seen.isPresent()) {
            evaluate(seen.get());
        } else {
            answer(clique, new BindResult.BindWithoutTable());
        }
    }

    /** Processes a list of the clique's nodes. */
    public synchronized void nodesListed(CliqueId clique, List<Stored<NvlinkNode>> nodes) {
        others = Optional.of(nodes.stream()
                .filter(other -> !other.name().equals(node))
                .flatMap(other ->
                        ChannelTable.uses(other.name(), other.content().holds().values()).stream())
                .toList());
        seen.filter(last -> last.clique().equals(clique)).ifPresent(this::evaluate);
    }

    /** Processes an acknowledged write. If other nodes write too, a pause and a read precede the next write. */
    public synchronized void written(Stored<NvlinkClique> table) {
        CliqueId clique = seen.orElseThrow().clique();
        oneByOne = Math.max(0, oneByOne - 1);
        overtaken /= 2;
        var now = new ObservedTable(clique, table);
        seen = overtaken == 0 ? Optional.of(now) : Optional.empty();
        evaluate(now);
    }

    /** Processes a failed call. After an unknown outcome the entries may still appear in the table. */
    public synchronized void failed(TableCall call, ApiFailure why) {
        switch (call) {
            case TableCall.ReadTable(CliqueId clique) -> answer(clique, new BindResult.BindFailed(why));
            case TableCall.ListHolds(CliqueId clique) -> {
                // ComputeDomains that came after the read of the table wait for the next read.
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

    /** Ends all waits with this defect. */
    public synchronized void broken(Throwable defect) {
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

    /** The ComputeDomains of the clique that wait and were added before the current call began. */
    private SortedMap<Long, WaitingBind> asking(CliqueId clique) {
        var asking = new TreeMap<>(waiting.headMap(requestedAt + 1));
        asking.values().removeIf(one -> !one.clique().equals(clique));
        return asking;
    }
}
