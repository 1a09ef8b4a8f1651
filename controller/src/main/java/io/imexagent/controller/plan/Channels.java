package io.imexagent.controller.plan;

import io.imexagent.core.claim.ChannelId;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * All channels as observed.
 *
 * <p>A channel counts as in use where anything says so: the ledger, a status, a template, a claim. The ledger alone
 * decides whose it is, but a ledger that was lost or restored from a backup must not lead to a second owner. What users
 * write counts only within the namespace of the ComputeDomain that it names; else they could use up all channels.
 *
 * @param entries the ledger by channel
 * @param users the UIDs of ComputeDomains whose status, template or claims name a channel, by channel
 */
public record Channels(NavigableMap<ChannelId, LedgerEntry> entries, Map<ChannelId, Set<String>> users) {

    /** Copies the ledger in. */
    public Channels {
        entries = new TreeMap<>(entries);
    }

    /** The ledger's entry of a channel. */
    Optional<LedgerEntry> entry(ChannelId channel) {
        return Optional.ofNullable(entries.get(channel));
    }

    /**
     * The channel to hand out next: the lowest that was never used, else the one that has rested longest; so a channel
     * comes back as late as can be.
     */
    Optional<ChannelId> free(ControllerPolicy policy, Instant now) {
        for (int number = 1; number < policy.channels(); number++) {
            var channel = new ChannelId(number);
            if (!entries.containsKey(channel) && !users.containsKey(channel)) {
                return Optional.of(channel);
            }
        }
        return entries.values().stream()
                .filter(entry -> entry.channel().number() > 0 && entry.channel().number() < policy.channels())
                .filter(entry -> !users.containsKey(entry.channel()))
                .filter(entry -> entry.restsUntil(policy.quarantine())
                        .filter(until -> !until.isAfter(now))
                        .isPresent())
                .min(Comparator.comparing((LedgerEntry entry) ->
                                entry.restsUntil(policy.quarantine()).orElse(now))
                        .thenComparing(LedgerEntry::channel))
                .map(LedgerEntry::channel);
    }

    /** When the next resting channel becomes free. */
    public Optional<Instant> nextFree(ControllerPolicy policy, Instant now) {
        return entries.values().stream()
                .flatMap(entry -> entry.restsUntil(policy.quarantine()).stream())
                .filter(until -> until.isAfter(now))
                .min(Comparator.naturalOrder());
    }

    /** How many of the channels 1 … N−1 are how. */
    public Usage usage(ControllerPolicy policy, Instant now) {
        int held = 0;
        int resting = 0;
        for (int number = 1; number < policy.channels(); number++) {
            var channel = new ChannelId(number);
            Optional<LedgerEntry> entry = entry(channel);
            Set<String> by = users.getOrDefault(channel, Set.of());
            if (rests(entry, by, policy, now)) {
                resting++;
            } else if (!by.isEmpty() || entry.flatMap(LedgerEntry::holder).isPresent()) {
                held++;
            }
        }
        return new Usage(held, resting, policy.channels() - 1 - held - resting);
    }

    /** Whether a channel is released and rests; the status of its last ComputeDomain names it to the end. */
    private static boolean rests(Optional<LedgerEntry> entry, Set<String> users, ControllerPolicy policy, Instant now) {
        return entry.flatMap(one -> one.restsUntil(policy.quarantine()))
                        .filter(until -> until.isAfter(now))
                        .isPresent()
                && entry.flatMap(LedgerEntry::owner)
                        .map(Set::of)
                        .orElse(Set.of())
                        .containsAll(users);
    }

    /**
     * How many channels are how.
     *
     * @param held by ComputeDomains, or by what is left of them
     * @param resting released, in quarantine
     * @param free to be handed out
     */
    public record Usage(int held, int resting, int free) {}
}
