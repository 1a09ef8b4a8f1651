package io.imexagent.controller.plan;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.control.DomainObject;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Decides which channel is a ComputeDomain's.
 *
 * <p>The ledger decides whose a channel is. Where a ComputeDomain holds several entries (two controllers were at work),
 * the status says which one counts, else the template. Where it holds none although its status or template names a
 * channel (the ledger was lost, or restored from a backup), it gets that one back, unless the ledger or anything else
 * says that it is another's. An entry that the status does not confirm, of a channel that another ComputeDomain uses, is
 * an old one from a backup, and does not count.
 */
final class ChannelPlanner {

    private final ControllerPolicy policy;

    ChannelPlanner(ControllerPolicy policy) {
        this.policy = policy;
    }

    /** What is decided. */
    sealed interface Decision {

        /**
         * The ledger says that the channel is the ComputeDomain's.
         *
         * @param channel the channel
         * @param problem what is wrong with it
         */
        record Held(ChannelId channel, Optional<Problem> problem) implements Decision {}

        /**
         * The ledger must say so first.
         *
         * @param step the entry to write
         */
        record Take(Step.TakeChannel step) implements Decision {}

        /**
         * There is none to have.
         *
         * @param problem why
         */
        record Blocked(Problem problem) implements Decision {}
    }

    Decision decide(DomainView view, Instant now) {
        List<ChannelId> held = view.held().stream()
                .map(LedgerEntry::channel)
                .sorted(Comparator.naturalOrder())
                .toList();
        Optional<ChannelId> stated = view.domain().channel().filter(channel -> channel.number() > 0);
        Optional<ChannelId> templated = view.named().flatMap(Names::selected);
        Optional<ChannelId> counted = stated.filter(held::contains)
                .or(() ->
                        templated.filter(held::contains).filter(view.contested().negate()))
                .or(() -> held.stream().filter(view.contested().negate()).findFirst());
        if (counted.isPresent()) {
            return new Decision.Held(counted.get(), outOfRange(counted.get()));
        }
        return takeBack(view, stated, now)
                .or(() -> takeBack(view, templated, now))
                .orElseGet(() -> choose(view, now));
    }

    private Optional<Problem> outOfRange(ChannelId channel) {
        return channel.number() < policy.channels()
                ? Optional.empty()
                : Optional.of(new Problem(
                        Problem.Reason.CHANNEL_OUT_OF_RANGE,
                        "channel " + channel + " of this ComputeDomain lies beyond imex.channels, which is "
                                + policy.channels() + ", so no node publishes it; raise imex.channels again, or make"
                                + " the ComputeDomain anew"));
    }

    private Optional<Decision> takeBack(DomainView view, Optional<ChannelId> named, Instant now) {
        DomainObject domain = view.domain();
        if (named.isEmpty()) {
            return Optional.empty();
        }
        ChannelId channel = named.get();
        Channels all = view.channels().get();
        Optional<LedgerEntry> entry = all.entry(channel);
        boolean others = entry.flatMap(LedgerEntry::holder).isPresent()
                || view.contested().test(channel);
        boolean rested = entry.isEmpty()
                || entry.flatMap(LedgerEntry::owner)
                        .equals(Optional.of(domain.ref().uid()))
                || entry.flatMap(one -> one.restsUntil(policy.quarantine()))
                        .filter(until -> !until.isAfter(now))
                        .isPresent();
        return others || !rested || channel.number() >= policy.channels() || channel.number() == 0
                ? Optional.empty()
                : Optional.of(new Decision.Take(new Step.TakeChannel(domain, channel, entry)));
    }

    private Decision choose(DomainView view, Instant now) {
        Channels all = view.channels().get();
        Optional<ChannelId> free = all.free(policy, now);
        if (free.isPresent()) {
            return new Decision.Take(new Step.TakeChannel(view.domain(), free.get(), all.entry(free.get())));
        }
        Channels.Usage usage = all.usage(policy, now);
        return new Decision.Blocked(new Problem(
                Problem.Reason.CHANNELS_EXHAUSTED,
                "no IMEX channel is free: of " + (policy.channels() - 1) + ", " + usage.held()
                        + " are in use and " + usage.resting()
                        + " rest after use; one comes free when a ComputeDomain and its claims are deleted, or"
                        + " raise imex.channels on controllers and nodes"));
    }
}
