package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.imex.bind.OwnChannels;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A table of channels in memory: ComputeDomains get 1, 2, 3 … in the order in which they come. */
public final class FakeChannels implements OwnChannels {

    private final Map<ComputeDomainUid, ChannelId> given = new HashMap<>();
    private final List<Hold> holds = new ArrayList<>();
    private final List<DomainName> binds = new ArrayList<>();
    private final List<DomainName> named = new ArrayList<>();
    private final List<Thread> underWay = new ArrayList<>();
    private Optional<Refusal> refusal = Optional.empty();
    private Optional<ApiFailure> failure = Optional.empty();
    private Optional<Refusal> queued = Optional.empty();
    private int losses;
    private long since;

    /** Gives the ComputeDomain this channel, whoever else has it. */
    public synchronized void give(String domain, int channel) {
        given.put(new ComputeDomainUid(domain), new ChannelId(channel));
    }

    /** Refuses every look so; empty lets them succeed again. */
    public synchronized void refuse(Optional<Refusal> why) {
        refusal = why;
    }

    /** Lets every look wait until it is interrupted, for this reason. */
    public synchronized void queue(Refusal why) {
        queued = Optional.of(why);
    }

    /** Lets every look fail so; empty lets them succeed again. */
    public synchronized void fail(Optional<ApiFailure> why) {
        failure = why;
    }

    /** Breaks the holds of the next looks, so many, as soon as they were answered. */
    public synchronized void loseHolds(int looks) {
        losses = looks;
    }

    /** Breaks every hold. */
    public synchronized void breakHolds() {
        since++;
    }

    /** For whom a channel was looked for, in order. */
    public synchronized List<DomainName> binds() {
        return List.copyOf(binds);
    }

    /** How many prepares have looked for a channel and are not over. */
    public synchronized int underWay() {
        return underWay.size();
    }

    @Override
    public synchronized Outcome<BoundChannel> bind(DomainName domain, CliqueId clique)
            throws ApiException, InterruptedException {
        binds.add(domain);
        if (!underWay.contains(Thread.currentThread())) {
            underWay.add(Thread.currentThread());
        }
        while (queued.isPresent()) {
            wait();
        }
        if (failure.isPresent()) {
            throw new ApiException(failure.get());
        }
        if (refusal.isPresent()) {
            return Outcome.refused(refusal.get());
        }
        ChannelId channel = given.computeIfAbsent(domain.uid(), uid -> new ChannelId(given.size() + 1));
        var bound = new BoundChannel(channel, domain.uid(), clique, since);
        if (losses > 0) {
            losses--;
            since++;
        }
        return Outcome.accepted(bound);
    }

    /** The node's object holds this. */
    public synchronized void hold(Hold hold) {
        holds.removeIf(other -> other.domain().equals(hold.domain()));
        holds.add(hold);
    }

    @Override
    public synchronized List<Hold> held(Optional<BootId> boot) throws ApiException {
        if (failure.isPresent()) {
            throw new ApiException(failure.get());
        }
        return List.copyOf(holds);
    }

    @Override
    public synchronized void names(DomainName domain) {
        named.add(domain);
    }

    /** The ComputeDomains of claims of channel 0, in order. */
    public synchronized List<DomainName> named() {
        return List.copyOf(named);
    }

    @Override
    public synchronized Optional<Refusal> waiting(Thread prepare) {
        return queued.filter(why -> underWay.contains(prepare));
    }

    @Override
    public synchronized boolean stands(BoundChannel bound) {
        return bound.since() == since;
    }

    @Override
    public synchronized void ended() {
        underWay.remove(Thread.currentThread());
    }
}
