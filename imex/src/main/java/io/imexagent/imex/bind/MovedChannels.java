package io.imexagent.imex.bind;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.slice.Device.Taint;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.ChannelTable.DoubleUse;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.Hold;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a channel that containers brought along from another clique is another ComputeDomain's in the clique that the
 * node is in now: each of the two can reach the other's GPU memory. Not thread-safe but for {@link #taints}.
 */
final class MovedChannels {

    static final String KEY = "imexagent.io/channel-conflict";

    private static final Duration AGAIN = Duration.ofMinutes(1);
    private static final Logger LOG = LoggerFactory.getLogger(MovedChannels.class);

    private final FabricObjects fabric;
    private final String node;
    private OptionalLong looked = OptionalLong.empty();
    private volatile List<DoubleUse> found = List.of();

    MovedChannels(FabricObjects fabric, String node) {
        this.fabric = fabric;
        this.node = node;
    }

    /** The node is in one clique alone. Returns whether that is news. */
    boolean none() {
        looked = OptionalLong.empty();
        return found(List.of());
    }

    /** Looks into the clique's table, at most once a minute. Returns whether there is news. */
    boolean look(CliqueId clique, Collection<Hold> holds, long nanos) {
        if (looked.isPresent() && nanos - looked.getAsLong() < AGAIN.toNanos()) {
            return false;
        }
        looked = OptionalLong.of(nanos);
        try {
            return found(fabric.cliques()
                    .get(clique.text())
                    .map(table -> table.content().table().doubleUses(node, holds))
                    .orElse(List.of()));
        } catch (ApiException e) {
            LOG.warn(
                    "cannot tell whether a channel in use belongs to another ComputeDomain in this clique, trying again"
                            + " clique={} error=\"{}\"",
                    clique,
                    e.failure().message());
            return false;
        }
    }

    private boolean found(List<DoubleUse> now) {
        if (now.equals(found)) {
            return false;
        }
        found = now;
        now.forEach(use -> LOG.error(
                "containers use a channel that belongs to another ComputeDomain in the node's present clique,"
                        + " end their pods at once channel={} used={} owner={}",
                use.owner().id(),
                use.user().domain(),
                use.owner().domain()));
        return true;
    }

    List<Taint> taints() {
        return found.stream()
                .limit(1)
                .map(use -> new Taint(KEY, "channel-" + use.owner().id().number(), Taint.Effect.NO_EXECUTE))
                .toList();
    }
}
