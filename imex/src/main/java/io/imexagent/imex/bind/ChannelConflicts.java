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
 * Where the table of the node's clique contradicts what the node's containers use: a channel is another ComputeDomain's
 * there, so that each of the two can reach the other's GPU memory, or the ComputeDomain has another channel there. An entry
 * that is missing contradicts nothing: the controller adds it again. A conflict ends when its channel is used no more, or when
 * a table that is there says otherwise. Thread-safe; never blocks.
 */
public final class ChannelConflicts {

    static final String KEY = "imexagent.io/channel-conflict";

    /** A table is compared at least so often while anything is held. */
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

    /** What makes a conflict the same one, whatever its ComputeDomains are called and the state of the entry is. */
    private record ConflictKey(
            Optional<CliqueId> clique,
            ChannelId channel,
            ComputeDomainUid user,
            ComputeDomainUid owner,
            ChannelId ownersChannel) {}

    /** A read of a table that began at this time of a steady clock. What came to be used later may be of a later table. */
    public record TableReading(long number, CliqueId clique, List<Hold> used, long at) {}

    /** What has changed; must not block. */
    public interface ConflictListener {

        void started(DoubleUse use, CliqueId clique);

        void over(DoubleUse use);
    }

    /** Of a node of this name; nothing was compared yet. */
    public ChannelConflicts(String node, ConflictListener news) {
        this.node = node;
        this.news = news;
    }

    /** A read of the clique's table begins, while the node holds this. */
    public synchronized TableReading begin(CliqueId clique, Collection<Hold> held, long nanos) {
        return new TableReading(++startedAt, clique, List.copyOf(held), nanos);
    }

    /**
     * The read found this table, while the node holds this; where there is none, what was found before stays. Returns
     * whether there is news.
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

    /** The read failed at this time: what was found before stays. Returns whether that is news of what is used. */
    synchronized boolean failed(TableReading reading, long nanos) {
        boolean first =
                failedAt.isEmpty() && !ChannelTable.uses(node, reading.used()).isEmpty();
        failedAt = Optional.of(nanos);
        return first;
    }

    /** The node holds this. Returns whether a conflict has ended by that. */
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

    /** For how long the table of the clique need not be read again. */
    public synchronized Duration restFor(CliqueId clique, long nanos) {
        Duration afterFailure =
                failedAt.map(at -> AFTER_FAILURE.minusNanos(nanos - at)).orElse(Duration.ZERO);
        Duration afterReading = last.filter(reading -> reading.clique().equals(clique))
                .map(reading -> AGAIN.minusNanos(nanos - reading.at()))
                .orElse(Duration.ZERO);
        return afterFailure.compareTo(afterReading) < 0 ? afterReading : afterFailure;
    }

    /** The conflict of this ComputeDomain's containers on the node; empty where there is none. */
    public Optional<DoubleUse> of(ComputeDomainUid domain) {
        return found.uses().stream()
                .filter(use -> use.user().domain().uid().equals(domain))
                .findFirst();
    }

    /** What is wrong, a sentence for each. */
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
