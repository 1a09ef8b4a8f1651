package io.imexagent.imex.bind;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.core.retry.Backoff;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.Binding;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.Stored;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * Finds the channel of a ComputeDomain in the table of the node's clique, or adds one: first the hold, then the look.
 * Random numbers, 0 to 1, spread nodes that meet.
 */
public record ChannelBinder(
        FabricObjects fabric, NodeHolds holds, String node, Supplier<ChannelTable.Limits> limits, DoubleSupplier random)
        implements OwnChannels {

    /** The pauses after a write of the table that another node's overtook. */
    public static final Backoff OVERTAKEN =
            new Backoff(Duration.ofMillis(5), Duration.ofMillis(500), Duration.ofMillis(500));

    @Override
    public Outcome<Bound> bind(DomainName domain, CliqueId clique) throws ApiException, InterruptedException {
        holds.begin(domain);
        SortedSet<CliqueId> left = holds.left();
        if (!left.isEmpty()) {
            return Outcome.refused(
                    RefusalCode.CLIQUE_LEFT,
                    "this node is in clique " + clique + " now, and containers on it use channels of " + left
                            + ", where it was before; it gets new ones when those have ended: drain the node");
        }
        Optional<Long> since = holds.awaitHeld(domain.uid(), clique);
        if (since.isEmpty()) {
            return Outcome.refused(RefusalCode.HOLD_LOST, lost(domain));
        }
        Optional<ChannelId> known = holds.inUse(domain.uid());
        return known.isPresent()
                ? Outcome.accepted(new Bound(known.get(), domain.uid(), clique, since.get()))
                : look(domain, clique, since.get());
    }

    private Outcome<Bound> look(DomainName domain, CliqueId clique, long since)
            throws ApiException, InterruptedException {
        Optional<Stored<NvlinkClique>> table = fabric.cliques().get(clique.text());
        for (int overtaken = 0; table.isPresent(); ) {
            NvlinkClique read = table.get().content();
            switch (read.table().bind(domain, node, within(read))) {
                case Binding.Bound(ChannelId id) -> {
                    var bound = new Bound(id, domain.uid(), clique, since);
                    return stands(bound)
                            ? Outcome.accepted(bound)
                            : Outcome.refused(RefusalCode.HOLD_LOST, lost(domain));
                }
                case Binding.Change(ChannelTable changed) -> {
                    table = replace(table.get(), changed);
                    if (table.isEmpty()) {
                        Thread.sleep(OVERTAKEN.after(++overtaken, random));
                        table = fabric.cliques().get(clique.text());
                    }
                }
                case Binding.Full(int taken) -> {
                    return Outcome.refused(
                            RefusalCode.CHANNELS_EXHAUSTED,
                            "all channels of clique " + clique + " have an owner (" + taken + "); imex-agent cliques"
                                    + " says who; one is free when the last pod of its ComputeDomain has ended");
                }
                case Binding.NamespaceFull(int taken) -> {
                    return Outcome.refused(
                            RefusalCode.NAMESPACE_CHANNELS_EXHAUSTED,
                            "the ComputeDomains of namespace " + domain.namespace() + " have " + taken
                                    + " channels of clique " + clique + ", as many as imex.channelsPerNamespace allows;"
                                    + " one is free when the last pod of one of them has ended");
                }
            }
        }
        return Outcome.refused(
                RefusalCode.CLIQUE_WITHOUT_TABLE,
                "the cluster has no NVLinkClique " + clique
                        + " yet; imex-controller makes it from this node's NVLinkNode: check that imex-controller runs;"
                        + " the claim is retried");
    }

    /** The channels that every node of the clique has, and that the operator allows. */
    private ChannelTable.Limits within(NvlinkClique clique) {
        ChannelTable.Limits allowed = limits.get();
        return clique.limit() > 0
                ? new ChannelTable.Limits(Math.min(clique.limit(), allowed.channels()), allowed.perNamespace())
                : allowed;
    }

    /** Writes over what was read; empty where another write came first. */
    private Optional<Stored<NvlinkClique>> replace(Stored<NvlinkClique> read, ChannelTable changed)
            throws ApiException {
        try {
            return Optional.of(fabric.cliques()
                    .replace(read, new NvlinkClique(read.content().limit(), changed)));
        } catch (ApiException e) {
            if (e.failure().kind() == ApiFailure.Kind.CONFLICT) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public boolean stands(Bound bound) {
        return holds.heldSince(bound.domain(), bound.clique()).equals(Optional.of(bound.since()));
    }

    public static String lost(DomainName domain) {
        return "this node's hold on ComputeDomain " + domain
                + " was changed while the claim was prepared; it is read again";
    }

    @Override
    public void ended() {
        holds.end();
    }
}
