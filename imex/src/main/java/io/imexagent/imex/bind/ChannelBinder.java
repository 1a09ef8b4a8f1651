package io.imexagent.imex.bind;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.DoubleUse;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * Finds the channels of ComputeDomains in the table of the node's clique, or adds them. The node holds a ComputeDomain
 * before it reads the table. One loop reads and writes the table for all prepares that wait.
 */
public final class ChannelBinder implements OwnChannels {

    private final FabricObjects fabric;
    private final HoldWriter holds;
    private final String node;
    private final DoubleSupplier random;

    /** The refusal that each waiting prepare would return now, by its thread. */
    private final Map<Thread, Supplier<Refusal>> waits = new ConcurrentHashMap<>();

    private final BindQueue queue;

    private final Loop loop = new Loop("channels", new Signal()) {
        @Override
        protected Duration turn() throws InterruptedException {
            return call();
        }

        @Override
        protected Duration afterDefect(Throwable defect, int inARow) {
            // Each prepare that waits reports the defect; the next bind starts the loop again.
            queue.broken(defect);
            return Signal.UNTIL_RAISED;
        }
    };

    /** Creates a binder for this node; random numbers, from 0 to 1, spread the writes of several nodes over time. */
    public ChannelBinder(
            FabricObjects fabric,
            HoldWriter holds,
            String node,
            Supplier<ChannelTable.Limits> limits,
            DoubleSupplier random) {
        this.fabric = fabric;
        this.holds = holds;
        this.node = node;
        this.random = random;
        this.queue = new BindQueue(node, limits, holds::uses);
    }

    @Override
    public Outcome<BoundChannel> bind(DomainName domain, CliqueId clique) throws ApiException, InterruptedException {
        holds.begin(domain);
        SortedSet<CliqueId> left = holds.left();
        if (!left.isEmpty()) {
            return Outcome.refused(
                    RefusalCode.CLIQUE_LEFT,
                    "this node is in clique " + clique + " now, and containers on it use channels of " + left
                            + ", where it was before; it gets new ones when those have ended: drain the node");
        }
        try {
            return bindHeld(domain, clique);
        } finally {
            waits.remove(Thread.currentThread());
        }
    }

    private Outcome<BoundChannel> bindHeld(DomainName domain, CliqueId clique)
            throws ApiException, InterruptedException {
        waits.put(Thread.currentThread(), () -> unwritten(domain));
        Optional<Long> since = holds.awaitHeld(domain.uid(), clique);
        if (since.isEmpty()) {
            return Outcome.refused(RefusalCode.HOLD_LOST, lost(domain));
        }
        Optional<ChannelId> known = holds.inUse(domain.uid());
        Outcome<ChannelId> channel = known.isPresent() ? inUse(known.get(), domain, clique) : attempt(domain, clique);
        return channel.map(id -> new BoundChannel(id, domain.uid(), clique, since.get()))
                .refuseIf(bound -> stands(bound)
                        ? Optional.empty()
                        : Optional.of(new Refusal(RefusalCode.HOLD_LOST, lost(domain))));
    }

    private Outcome<ChannelId> inUse(ChannelId channel, DomainName domain, CliqueId clique)
            throws ApiException, InterruptedException {
        waits.put(Thread.currentThread(), () -> uncompared(channel, domain, clique));
        Optional<DoubleUse> against = holds.tables().conflict(domain.uid(), clique);
        return Outcome.accepted(channel).refuseIf(known -> against.map(use -> conflict(use, clique, domain)));
    }

    private static Refusal conflict(DoubleUse use, CliqueId clique, DomainName domain) {
        return new Refusal(
                RefusalCode.CHANNEL_CONFLICT,
                use.text(clique) + "; claims of ComputeDomain " + domain + " wait for that");
    }

    private Outcome<ChannelId> attempt(DomainName domain, CliqueId clique) throws ApiException, InterruptedException {
        var answer = new CompletableFuture<BindQueue.BindResult>();
        long number = queue.add(domain, clique, answer::complete);
        loop.startOrWake();
        try {
            waits.put(Thread.currentThread(), () -> queued(domain, clique, number));
            return switch (awaited(answer)) {
                case BindQueue.BindResult.BindDone(ChannelId id) -> Outcome.accepted(id);
                case BindQueue.BindResult.BindFailed(ApiFailure why) -> throw new ApiException(why);
                case BindQueue.BindResult.BindBroken(Throwable defect) -> throw new IllegalStateException(defect);
                case BindQueue.BindResult.BindConflicting(DoubleUse use) ->
                    Outcome.refused(conflict(use, clique, domain));
                case BindQueue.BindResult.BindTableFull(int taken, Optional<BindQueue.Least> least) ->
                    Outcome.refused(
                            RefusalCode.CHANNELS_EXHAUSTED,
                            "no channel of clique " + clique + " is free (" + taken + " have an owner"
                                    + least.map(node -> "; node " + node.node() + " lets the clique have "
                                                    + node.channels())
                                            .orElse("")
                                    + "); imex-agent cliques"
                                    + " says who; one is free when the last pod of its ComputeDomain has ended");
                case BindQueue.BindResult.BindQuotaReached(int taken) ->
                    Outcome.refused(
                            RefusalCode.NAMESPACE_CHANNELS_EXHAUSTED,
                            "the ComputeDomains of namespace " + domain.namespace() + " have " + taken
                                    + " channels of clique " + clique + ", as many as imex.channelsPerNamespace allows;"
                                    + " one is free when the last pod of one of them has ended");
                case BindQueue.BindResult.BindWithoutTable _ ->
                    Outcome.refused(
                            RefusalCode.CLIQUE_WITHOUT_TABLE,
                            "the cluster has no NVLinkClique " + clique
                                    + " yet; imex-controller makes it from this node's NVLinkNode: check that"
                                    + " imex-controller runs; the claim is retried");
            };
        } finally {
            queue.remove(number);
        }
    }

    private static BindQueue.BindResult awaited(CompletableFuture<BindQueue.BindResult> answer)
            throws InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Makes the call that is due, and returns the pause before the next. */
    private Duration call() throws InterruptedException {
        // Sleeps, rather than waits in the loop, so that a new prepare does not end the pause.
        Thread.sleep(queue.pause(random));
        Optional<BindQueue.TableCall> due = queue.due();
        due.ifPresent(this::make);
        return due.isPresent() ? Duration.ZERO : Signal.UNTIL_RAISED;
    }

    private void make(BindQueue.TableCall call) {
        try {
            switch (call) {
                case BindQueue.TableCall.ReadTable(CliqueId clique) ->
                    queue.read(clique, holds.tables().table(clique));
                case BindQueue.TableCall.ListHolds(CliqueId clique) ->
                    queue.nodesListed(clique, fabric.nodesOf(clique));
                case BindQueue.TableCall.WriteTable(Stored<NvlinkClique> observed, NvlinkClique content) ->
                    queue.written(fabric.cliques().replace(observed, content));
            }
        } catch (ApiException e) {
            queue.failed(call, e.failure());
        }
    }

    private Refusal unwritten(DomainName domain) {
        return new Refusal(
                RefusalCode.API_UNAVAILABLE,
                "the API server has not acknowledged yet that this node holds ComputeDomain " + domain
                        + ", which this node's NVLinkNode has to say first; check that it can be reached from this node"
                        + " and that no one else writes that object; the claim is retried");
    }

    private static Refusal uncompared(ChannelId channel, DomainName domain, CliqueId clique) {
        return new Refusal(
                RefusalCode.API_UNAVAILABLE,
                "this node uses channel " + channel + " for ComputeDomain " + domain
                        + " and still reads the table of clique " + clique
                        + " to see whether it agrees; check that the API server can be reached from this node; the claim"
                        + " is retried");
    }

    private Refusal queued(DomainName domain, CliqueId clique, long number) {
        int before = queue.before(number).orElse(0);
        return new Refusal(
                RefusalCode.CHANNEL_QUEUED,
                "the channel of ComputeDomain " + domain + " is not in the table of clique " + clique + " yet: "
                        + before + " of this node's prepares came before it and " + (before == 1 ? "waits" : "wait")
                        + " too" + (queue.isOvertaken() ? ", and other nodes write the table at the same time" : "")
                        + "; the claim is retried");
    }

    /** The number of prepares that wait for a channel. */
    int waiting() {
        return queue.size();
    }

    @Override
    public Optional<Refusal> waiting(Thread prepare) {
        return Optional.ofNullable(waits.get(prepare)).map(Supplier::get);
    }

    @Override
    public List<Hold> held(Optional<BootId> boot) throws ApiException {
        return held(fabric, node, boot);
    }

    /** The holds in this node's object, void if of another boot; if either boot is unknown, they count. Blocking. */
    public static List<Hold> held(FabricObjects fabric, String node, Optional<BootId> boot) throws ApiException {
        return fabric.nodes().get(node).map(Stored::content).stream()
                .filter(report -> boot.isEmpty()
                        || report.boot().isEmpty()
                        || report.boot().equals(boot))
                .flatMap(report -> report.holds().values().stream())
                .toList();
    }

    @Override
    public void names(DomainName domain) {
        holds.name(domain);
    }

    @Override
    public boolean stands(BoundChannel bound) {
        return holds.heldSince(bound.domain(), bound.clique()).equals(Optional.of(bound.since()));
    }

    @Override
    public Optional<Refusal> conflict(DomainName domain, BoundChannel bound) {
        return holds.conflict(domain, bound.channel()).map(use -> conflict(use, bound.clique(), domain));
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
