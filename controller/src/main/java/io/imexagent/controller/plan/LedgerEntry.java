package io.imexagent.controller.plan;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.LeaseContent;
import io.imexagent.kubernetes.control.LeaseObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The ledger's word on one channel: a Lease in the controller's namespace whose name holds the channel's number.
 *
 * @param lease the Lease
 * @param channel the channel
 */
public record LedgerEntry(LeaseObject lease, ChannelId channel) {

    /** The entry that a Lease is; empty for other Leases. */
    public static Optional<LedgerEntry> of(LeaseObject lease) {
        return Names.entryChannel(lease.ref().name()).map(channel -> new LedgerEntry(lease, channel));
    }

    /** The UID of the ComputeDomain that holds the channel; empty where it is released. */
    public Optional<String> holder() {
        return lease.holder();
    }

    /** The UID of the ComputeDomain that holds the channel, or held it last. */
    public Optional<String> owner() {
        return holder().or(() -> Optional.ofNullable(lease.content().labels().get(Names.COMPUTE_DOMAIN)));
    }

    /** Namespace and name of the owner, for people. */
    public Optional<String> ownerPath() {
        return Optional.ofNullable(lease.content().annotations().get(Names.OWNER));
    }

    /** The owner's namespace. */
    public Optional<String> ownerNamespace() {
        return ownerPath().filter(path -> path.contains("/")).map(path -> path.substring(0, path.indexOf('/')));
    }

    /** Whether this is the namespace of the ComputeDomain that has the channel; where the ledger lost that, any is. */
    public boolean isWithin(String namespace) {
        return ownerNamespace().map(namespace::equals).orElse(true);
    }

    /** Which state of which Lease this is; no two are called the same. */
    public String state() {
        return lease.ref().name() + "@" + lease.ref().version();
    }

    /** Until when a released channel rests; empty while it is held. A release without a time rests from the epoch. */
    public Optional<Instant> restsUntil(Duration quarantine) {
        return holder().isPresent()
                ? Optional.empty()
                : Optional.of(lease.content().renewed().orElse(Instant.EPOCH).plus(quarantine));
    }

    /** What the ledger says of a channel that a ComputeDomain takes. */
    public static LeaseContent taken(DomainObject domain, Instant now, Optional<LedgerEntry> before) {
        return new LeaseContent(
                Optional.of(domain.ref().uid()),
                Optional.of(now),
                Optional.empty(),
                Optional.empty(),
                before.map(entry -> entry.lease().content().transitions() + 1).orElse(0),
                Map.of(Names.COMPUTE_DOMAIN, domain.ref().uid()),
                Map.of(Names.OWNER, domain.ref().path()));
    }

    /** What the ledger says of this channel once it is released. */
    public LeaseContent released(Instant now) {
        LeaseContent held = lease.content();
        return new LeaseContent(
                Optional.empty(),
                held.acquired(),
                Optional.of(now),
                Optional.empty(),
                held.transitions(),
                owner().map(uid -> Map.of(Names.COMPUTE_DOMAIN, uid)).orElse(Map.of()),
                held.annotations());
    }
}
