package io.imexagent.core.ledger;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimUid;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** All claims that this node knows, and their boot, empty where an old checkpoint did not record it. Immutable. */
public record Ledger(SortedMap<ClaimUid, ClaimEntry> entries, Optional<BootId> bootId) {

    public Ledger {
        entries = Collections.unmodifiableSortedMap(new TreeMap<>((Map<ClaimUid, ClaimEntry>) entries));
    }

    public static Ledger empty(Optional<BootId> bootId) {
        return new Ledger(Collections.emptySortedMap(), bootId);
    }

    public Optional<ClaimEntry> entry(ClaimUid uid) {
        return Optional.ofNullable(entries.get(uid));
    }

    /** This ledger with the entry in place of the claim's current one. */
    public Ledger with(ClaimEntry entry) {
        var changed = new TreeMap<>((Map<ClaimUid, ClaimEntry>) entries);
        changed.put(entry.uid(), entry);
        return new Ledger(changed, bootId);
    }

    public Ledger without(ClaimUid uid) {
        var changed = new TreeMap<>((Map<ClaimUid, ClaimEntry>) entries);
        changed.remove(uid);
        return new Ledger(changed, bootId);
    }

    /** This ledger with another boot, or with none. */
    public Ledger at(Optional<BootId> boot) {
        return new Ledger(entries, boot);
    }

    /** Whether the ledger was written in another boot than the running one, which voids every prepared claim. */
    public boolean isOfEarlierBoot(Optional<BootId> running) {
        return bootId.isPresent() && running.isPresent() && !bootId.equals(running);
    }

    /** The claims whose devices the kubelet may have handed to containers. */
    public List<ClaimEntry.Completed> completed() {
        return all(ClaimEntry.Completed.class);
    }

    /** The entries of this kind, in the order of their claims' UIDs. */
    public <E extends ClaimEntry> List<E> all(Class<E> kind) {
        return entries.values().stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    /** The claims whose containers have the channel, in the order of their UIDs. */
    public List<ClaimEntry.Completed> holdersOf(ChannelId channel) {
        return holders(device ->
                device instanceof PreparedDevice.Channel held && held.id().equals(channel) && held.reachesContainers());
    }

    /** The claims that hold the plain device of this name, in the order of their UIDs. */
    public List<ClaimEntry.Completed> holdersOfDevice(String device) {
        return holders(held ->
                held instanceof PreparedDevice.Plain && held.returned().device().equals(device));
    }

    private List<ClaimEntry.Completed> holders(Predicate<PreparedDevice> of) {
        return completed().stream()
                .filter(entry -> entry.devices().stream().anyMatch(of))
                .toList();
    }
}
