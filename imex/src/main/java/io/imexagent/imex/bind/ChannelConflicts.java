package io.imexagent.imex.bind;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.slice.Device.DeviceTaint;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.DoubleUse;
import io.imexagent.kubernetes.clique.Hold;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The channels that the node's containers use in contradiction to the table of the node's clique. Either the table
 * assigns the channel to another ComputeDomain, so that each of the two can reach the other's GPU memory, or it assigns
 * another channel to the ComputeDomain. A missing entry is not a contradiction: the controller adds it again. A
 * conflict ends when its channel is no longer used, or when a later table no longer contradicts. Thread-safe; never
 * blocks.
 */
public final class ChannelConflicts {

    static final String KEY = "imexagent.io/channel-conflict";

    /** The longest time between two comparisons with the table while anything is held. */
    public static final Duration AGAIN = Duration.ofMinutes(1);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(10);

    private final String node;
    private final ConflictListener news;
    private long startedAt;
    private long counted;
    private Optional<TableReading> last = Optional.empty();
    private Optional<Long> failedAt = Optional.empty();
    private volatile FoundConflicts found = FoundConflicts.NOTHING;

    private record FoundConflicts(Optional<CliqueId> clique, List<DoubleUse> uses) {

        private static final FoundConflicts NOTHING = new FoundConflicts(Optional.empty(), List.of());

        Set<ConflictKey> keys() {
            return uses.stream().map(this::key).collect(Collectors.toSet());
        }

        ConflictKey key(DoubleUse use) {
            return new ConflictKey(
                    clique,
                    use.user().id(),
                    use.user().domain().uid(),
                    use.owner().domain().uid(),
                    use.owner().id());
        }
    }

    /** The identity of a conflict, without the names of its ComputeDomains and the state of the entry. */
    private record ConflictKey(
            Optional<CliqueId> clique,
            ChannelId channel,
            ComputeDomainUid user,
            ComputeDomainUid owner,
            ChannelId ownersChannel) {}

    /** A read of a table that began at {@code at} of a steady clock; it may lack channels that were used later. */
    public record TableReading(long number, CliqueId clique, List<Hold> used, long at) {}

    /** Receives the start and the end of conflicts; must not block. */
    public interface ConflictListener {

        void started(DoubleUse use, CliqueId clique);

        void over(DoubleUse use);
    }

    /** Creates the conflicts of the node with this name, before the first comparison. */
    public ChannelConflicts(String node, ConflictListener news) {
        this.node = node;
        this.news = news;
    }

    /** Begins a read of the clique's table, with the current holds of the node. */
    public synchronized TableReading begin(CliqueId clique, Collection<Hold> held, long nanos) {
        return new TableReading(++startedAt, clique, List.copyOf(held), nanos);
    }

    /**
     * Compares the table that was read with the holds at the start of the read. A conflict stays only if its channel is
     * among {@code held}, the current holds. Without a table, earlier conflicts stay. Returns whether the conflicts
     * changed.
     */
    public synchronized boolean compare(TableReading reading, Optional<ChannelTable> table, Collection<Hold> held) {
        if (reading.number() < counted) {
            return false;
        }
        counted = reading.number();
        last = Optional.of(reading);
        failedAt = Optional.empty();
        return found(
                table.map(of -> new FoundConflicts(Optional.of(reading.clique()), of.doubleUses(node, reading.used())))
                        .orElse(found),
                held);
    }

    /** Records a failed read; conflicts stay. Returns whether it is the first in a row while channels are in use. */
    synchronized boolean failed(TableReading reading, long nanos) {
        boolean first =
                failedAt.isEmpty() && !ChannelTable.uses(node, reading.used()).isEmpty();
        failedAt = Optional.of(nanos);
        return first;
    }

    /** Follows the node's current holds. Returns whether a conflict has ended. */
    public synchronized boolean follow(Collection<Hold> held) {
        return found(found, held);
    }

    private List<DoubleUse> stillUsed(List<DoubleUse> uses, Collection<Hold> held) {
        var now = ChannelTable.uses(node, held);
        return uses.stream()
                .filter(use -> now.stream()
                        .anyMatch(used -> used.id().equals(use.user().id())
                                && used.domain()
                                        .uid()
                                        .equals(use.user().domain().uid())))
                .toList();
    }

    private boolean found(FoundConflicts what, Collection<Hold> held) {
        FoundConflicts before = found;
        var now = new FoundConflicts(what.clique(), stillUsed(what.uses(), held));
        found = now;
        Set<ConflictKey> earlier = before.keys();
        Set<ConflictKey> present = now.keys();
        now.uses().stream()
                .filter(use -> !earlier.contains(now.key(use)))
                .forEach(use -> news.started(use, now.clique().orElseThrow()));
        before.uses().stream().filter(use -> !present.contains(before.key(use))).forEach(news::over);
        return !present.equals(earlier);
    }

    /** Whether a table of the clique has been compared. */
    public synchronized boolean compared(CliqueId clique) {
        return last.filter(reading -> reading.clique().equals(clique)).isPresent();
    }

    /** The time until the table of the clique must be read again. */
    public synchronized Duration restFor(CliqueId clique, long nanos) {
        Duration afterFailure =
                failedAt.map(at -> AFTER_FAILURE.minusNanos(nanos - at)).orElse(Duration.ZERO);
        Duration afterReading = last.filter(reading -> reading.clique().equals(clique))
                .map(reading -> AGAIN.minusNanos(nanos - reading.at()))
                .orElse(Duration.ZERO);
        return afterFailure.compareTo(afterReading) < 0 ? afterReading : afterFailure;
    }

    /** The conflict of this ComputeDomain's containers on the node; empty if there is none. */
    public Optional<DoubleUse> of(ComputeDomainUid domain) {
        return found.uses().stream()
                .filter(use -> use.user().domain().uid().equals(domain))
                .findFirst();
    }

    /** The conflicts, one sentence each. */
    List<String> texts() {
        FoundConflicts now = found;
        return now.uses().stream()
                .map(use -> use.text(now.clique().orElseThrow()))
                .toList();
    }

    List<DeviceTaint> taints() {
        return found.uses().stream()
                .limit(1)
                .map(use ->
                        new DeviceTaint(KEY, "channel-" + use.user().id().number(), DeviceTaint.TaintEffect.NO_EXECUTE))
                .toList();
    }
}
