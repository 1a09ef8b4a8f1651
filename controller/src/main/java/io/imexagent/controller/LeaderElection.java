package io.imexagent.controller;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane.LeaseContent;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.FabricObjects.StoredObjects;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides by a Lease which of several controllers works, as client-go does: the holder renews it; others take it once
 * it has been unchanged for its whole duration, each by its own steady clock, so that clocks need not agree.
 *
 * <p>The holder stops leading some time before others may begin. This does not exclude two writers, since a process can
 * be suspended just before its call; therefore every write of the controller is safe by itself (decision 0059).
 */
public final class LeaderElection {

    public static final String LEASE = "imex-controller";

    /** How long a renewal is valid. With {@link #RETRY}, others take over within 12 s of the last renewal. */
    static final Duration DURATION = Duration.ofSeconds(10);

    /** The time without a renewal after which the holder stops leading. */
    static final Duration RENEW_WITHIN = Duration.ofSeconds(7);

    /** How often the holder renews the Lease, and the others read it. */
    static final Duration RETRY = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(LeaderElection.class);

    private final StoredObjects<LeaseContent> leases;
    private final String identity;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    /** The time up to which this controller leads; meaningless while it does not lead. */
    private volatile long until;

    private volatile boolean leads;
    private volatile @Nullable ObservedLease observed;
    private volatile Optional<ApiFailure> failing = Optional.empty();

    /**
     * The Lease as last read, and the steady time after the call that first returned this version; its write was
     * earlier.
     */
    private record ObservedLease(Stored<LeaseContent> lease, long since) {

        boolean expired(long now) {
            return now - since >= lease.content().duration().orElse(DURATION).toNanos();
        }
    }

    /**
     * No other controller, and no earlier run of this one, may have this {@code identity}; {@code clock} only gives
     * times for people.
     */
    LeaderElection(StoredObjects<LeaseContent> leases, String identity, InstantSource clock, LongSupplier nanoTime) {
        this.leases = leases;
        this.identity = identity;
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    /** Whether this controller leads now; false as soon as the last renewal is too old, even if its threads hang. */
    boolean leads() {
        return leads && nanoTime.getAsLong() - until < 0;
    }

    /** The holder of the Lease; empty if it is free, or was not renewed for its duration. Never blocks. */
    Optional<String> holder() {
        return Optional.ofNullable(observed)
                .filter(last -> !last.expired(nanoTime.getAsLong()))
                .flatMap(last -> last.lease().content().holder());
    }

    Optional<ApiFailure> failure() {
        return failing;
    }

    /** Takes, renews or reads the Lease, once. To be called every {@link #RETRY}. Blocks. */
    synchronized void attempt() {
        try {
            boolean held = tryToHold();
            if (held != leads) {
                LOG.info(
                        held ? "leading identity={}" : "not leading identity={} holder={}",
                        identity,
                        holder().orElse(""));
            }
            leads = held;
            failing = Optional.empty();
        } catch (ApiException e) {
            report(e.failure());
        }
        if (leads && !leads()) {
            LOG.warn("leadership lost, the lease could not be renewed in time identity={}", identity);
            leads = false;
        }
    }

    private boolean tryToHold() throws ApiException {
        ObservedLease known = observed;
        if (leads && known != null && write(Optional.of(known.lease()))) {
            return true;
        }
        long requestNanos = nanoTime.getAsLong();
        Optional<Stored<LeaseContent>> present = leases.get(LEASE);
        if (present.isPresent()) {
            Optional<String> holder = present.get().content().holder();
            // The server may have read the Lease at the beginning of the call, so the duration of the call does not
            // count as age.
            boolean expired = observe(present.get()).expired(requestNanos);
            boolean mine = holder.equals(Optional.of(identity));
            if (!mine && !expired && holder.isPresent()) {
                return false;
            }
        }
        return write(present);
    }

    /** Writes this controller into the Lease; false if another controller was faster. */
    private boolean write(Optional<Stored<LeaseContent>> over) throws ApiException {
        long startNanos = nanoTime.getAsLong();
        try {
            LeaseContent content = held(over);
            var _ = observe(over.isPresent() ? leases.replace(over.get(), content) : leases.create(LEASE, content));
            // Others may have read the renewal as soon as it was sent.
            until = startNanos + RENEW_WITHIN.toNanos();
            return true;
        } catch (ApiException e) {
            // Another controller was first. Not found, when a Lease is created, means that its namespace is missing.
            if (e.failure().kind() == ApiFailure.FailureKind.CONFLICT
                    || (e.failure().kind() == ApiFailure.FailureKind.NOT_FOUND && over.isPresent())) {
                return false;
            }
            throw e;
        }
    }

    private ObservedLease observe(Stored<LeaseContent> lease) {
        ObservedLease before = observed;
        long since = before != null
                        && before.lease().ref().version().equals(lease.ref().version())
                ? before.since()
                : nanoTime.getAsLong();
        var seen = new ObservedLease(lease, since);
        observed = seen;
        return seen;
    }

    private LeaseContent held(Optional<Stored<LeaseContent>> before) {
        boolean mine = before.flatMap(lease -> lease.content().holder()).equals(Optional.of(identity));
        Optional<LeaseContent> content = before.map(Stored::content);
        return new LeaseContent(
                Optional.of(identity),
                mine ? content.flatMap(LeaseContent::acquired) : Optional.of(clock.instant()),
                Optional.of(clock.instant()),
                Optional.of(DURATION),
                content.map(LeaseContent::transitions).orElse(0) + (mine || before.isEmpty() ? 0 : 1),
                content.map(LeaseContent::labels).orElse(Map.of()),
                content.map(LeaseContent::annotations).orElse(Map.of()));
    }

    /** Releases the Lease, so that another controller can lead at once; the caller has ended its work. Blocks. */
    synchronized void resign() {
        ObservedLease held = observed;
        boolean led = leads;
        leads = false;
        if (!led || held == null) {
            return;
        }
        LeaseContent content = held.lease().content();
        var given = new LeaseContent(
                Optional.empty(),
                content.acquired(),
                Optional.of(clock.instant()),
                Optional.of(Duration.ofSeconds(1)),
                content.transitions(),
                content.labels(),
                content.annotations());
        try {
            var _ = leases.replace(held.lease(), given);
        } catch (ApiException e) {
            LOG.info("lease not released, it expires by itself error=\"{}\"", e.getMessage());
        }
    }

    private void report(ApiFailure failure) {
        if (!failing.map(ApiFailure::kind).equals(Optional.of(failure.kind()))) {
            LOG.warn(
                    "election failed, trying again kind={} error=\"{}\"",
                    failure.kind().label(),
                    failure.message());
        }
        failing = Optional.of(failure);
    }
}
