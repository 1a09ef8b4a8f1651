package io.imexagent.e2e.fabric;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.e2e.bench.Samples;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What binding cost, and whose each channel is: a channel of a clique that two ComputeDomains use ends the simulation, unless
 * somebody has damaged the clique's table.
 */
final class Figures {

    private record Channel(CliqueId clique, ChannelId id) {}

    private final Map<Channel, Map<DomainName, Integer>> uses = new HashMap<>();
    private final Set<CliqueId> damaged = new HashSet<>();
    private final Samples calls = new Samples();
    private final Samples took = new Samples();
    private long refused;
    private long refusedInConflict;
    private long further;
    private long doubleUses;
    private long mended;

    void bound(CliqueId clique, ChannelId id, DomainName domain, int byCalls, long nanos) {
        Map<DomainName, Integer> users = uses.computeIfAbsent(new Channel(clique, id), none -> new HashMap<>());
        if (users.merge(domain, 1, Integer::sum) == 1 && users.size() > 1) {
            doubleUses++;
            if (!damaged.contains(clique)) {
                throw new IllegalStateException(
                        "channel " + id + " of clique " + clique + " is used for " + users.keySet());
            }
        }
        calls.addFigure(byCalls);
        took.add(nanos);
    }

    void gaveBack(CliqueId clique, ChannelId id, DomainName domain) {
        uses.computeIfPresent(new Channel(clique, id), (channel, users) -> {
            users.computeIfPresent(domain, (user, nodes) -> nodes == 1 ? null : nodes - 1);
            return users.isEmpty() ? null : users;
        });
    }

    /** Somebody has damaged the clique's table: what its nodes cannot see may be used twice until that is mended. */
    void damaged(CliqueId clique) {
        damaged.add(clique);
    }

    boolean isDamaged(CliqueId clique) {
        return damaged.contains(clique);
    }

    /** Whether no channel of the clique is used twice, and this table gives each to its user. */
    boolean covers(CliqueId clique, ChannelTable table) {
        return uses.entrySet().stream()
                .filter(use -> use.getKey().clique().equals(clique))
                .allMatch(use -> Optional.ofNullable(
                                table.entries().get(use.getKey().id()))
                        .filter(entry -> use.getValue().keySet().equals(Set.of(entry.domain())))
                        .isPresent());
    }

    /** The damage is over: a channel that is used twice from now on ends the simulation again. */
    void mended(CliqueId clique) {
        damaged.remove(clique);
        mended++;
    }

    int stillDamaged() {
        return damaged.size();
    }

    /** How often a table was damaged and all that followed was over. */
    long mended() {
        return mended;
    }

    /** How often a ComputeDomain came to use a channel of another. */
    long doubleUses() {
        return doubleUses;
    }

    /** A further claim on a node got the channel of its ComputeDomain. */
    void further() {
        further++;
    }

    long furtherClaims() {
        return further;
    }

    /** A claim was refused since table and uses contradict each other. */
    void refusedInConflict() {
        refusedInConflict++;
    }

    long conflicts() {
        return refusedInConflict;
    }

    void refused() {
        refused++;
    }

    int bound() {
        return calls.count();
    }

    void report(ObjectNode to) {
        to.put("first claims on a node", bound()).put("refused for want of a channel", refused);
        ObjectNode of = to.putObject("calls of a first claim");
        ObjectNode millis = to.putObject("milliseconds of a first claim");
        for (double percent : bound() == 0 ? new double[0] : new double[] {50, 99, 99.9, 100}) {
            String label = percent == 100 ? "most" : "p" + percent;
            of.put(label, (int) calls.percentile(percent));
            millis.put(label, Math.round(took.percentile(percent) * 10) / 10.0);
        }
    }
}
