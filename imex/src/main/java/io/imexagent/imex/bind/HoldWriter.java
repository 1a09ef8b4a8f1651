package io.imexagent.imex.bind;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.slice.Device.DeviceTaint;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.DoubleUse;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Keeps the node's NVLinkNode equal to the holds of this node: the ComputeDomains of its prepared claims, and of those
 * being prepared. Nothing else writes the object. The release of holds, and the report of channel 0's users, happen in
 * the background: no claim waits for either.
 */
public final class HoldWriter implements AutoCloseable {

    private final NodeSources about;
    private final LongSupplier nanoTime;
    private final Loop loop;
    private final TableWatch tables;
    private final ObjectCalls calls;
    private final DomainNames names;
    private final WriteGrant grant;
    private final Signal changes = new Signal();

    /** Whether {@link #wake} was called, so that the object is due now. */
    private final AtomicBoolean requested = new AtomicBoolean();

    /** The time until the next write if {@link #wake} is not called. Only the loop's thread uses it. */
    private Duration untilWrite = Duration.ZERO;

    // This object's monitor guards all fields below.
    private Optional<HoldState> opened = Optional.empty();
    private final ClaimHolds claims = new ClaimHolds();
    private final StatusPace pace;
    private Optional<CliqueId> clique = Optional.empty();

    /**
     * The sources of the object's content. The session is a random name of this process. {@code nodeMissing} is called
     * from time to time while anything is held. {@code granted}, whether the node may write the object, is called until
     * it is true. {@code names} is called if claims have only the UID of their ComputeDomain.
     */
    public record NodeSources(
            String node,
            String session,
            Supplier<NodeInventory> inventory,
            Supplier<NodeStatus> status,
            ApiCall<Boolean> nodeMissing,
            ApiCall<Boolean> granted,
            DomainNameLookup names) {}

    /** One call to the API server. */
    @FunctionalInterface
    public interface ApiCall<T> {

        T make() throws ApiException;
    }

    /** Looks up the name of the ComputeDomain with this UID in a namespace; empty if it does not exist. */
    @FunctionalInterface
    public interface DomainNameLookup {

        DomainNameLookup NONE = (namespace, domain) -> Optional.empty();

        Optional<DomainName> of(String namespace, ComputeDomainUid domain) throws ApiException;
    }

    /**
     * Creates the holds before anything is known of them; {@code onTaint} is called when {@link #taints} has changed,
     * and must not block.
     */
    public HoldWriter(
            FabricObjects fabric, NodeSources about, LongSupplier nanoTime, DoubleSupplier random, Runnable onTaint) {
        this.about = about;
        this.nanoTime = nanoTime;
        this.loop = Loop.of("holds", this::turn);
        this.tables = new TableWatch(fabric, about.node(), this, this::binding, nanoTime, onTaint);
        this.names = new DomainNames(about.names(), nanoTime, this::named);
        this.grant = new WriteGrant(about.granted(), nanoTime, random);
        this.pace = new StatusPace(about, nanoTime.getAsLong());
        this.calls = new ObjectCalls(fabric, about.node(), this, pace, nanoTime, random, this::wake);
    }

    /**
     * Begins to write after the recovery, with the claims that it left. {@code blind}: the checkpoint could not be
     * read, so the holds in the object stay.
     */
    public synchronized void start(Ledger ledger, boolean blind, Optional<BootId> boot) {
        claims.follow(ledger, this::hold);
        pace.begin(claims.sharing(), nanoTime.getAsLong());
        clique = cliqueNow();
        begin(new HoldState(about.session(), claims.used(), blind, clique, boot, channelsNow()));
    }

    /** Begins to write for an agent that only observes: holds in the object that bind a channel stay as they are. */
    public synchronized void observe(Optional<BootId> boot) {
        clique = cliqueNow();
        begin(HoldState.observing(about.session(), clique, boot, channelsNow()));
    }

    private void begin(HoldState state) {
        opened = Optional.of(state);
        loop.start();
    }

    /** Follows a change of the claims. Never blocks. */
    public synchronized void follow(Ledger ledger) {
        claims.follow(ledger, this::hold);
        align();
        tables.follow();
        if (pace.shares(claims.sharing(), nanoTime.getAsLong()) && !calls.failing()) {
            wake();
        }
    }

    /** Makes the object due after a change of the node, or of the status that it reports to people. Never blocks. */
    public void wake() {
        requested.set(true);
        loop.wake();
    }

    private Optional<Hold> hold(ComputeDomainUid domain) {
        return opened.flatMap(state -> state.hold(domain));
    }

    /** Wakes the loop if there is something to write, or if the last try failed: most claims change nothing. */
    private void align() {
        boolean changed = opened.map(claims::align).orElse(false);
        if ((changed || !claims.nonePrepares()) && (!written() || calls.failing())) {
            wake();
        }
    }

    /** Records that the calling thread prepares a claim of this ComputeDomain, until it calls {@link #end}. */
    synchronized void begin(DomainName domain) {
        claims.begin(domain);
        align();
    }

    /** Records that the calling thread prepares a claim of the ComputeDomain's channel 0, until {@link #end}. */
    synchronized void name(DomainName domain) {
        claims.name(domain);
    }

    synchronized void end() {
        if (claims.end()) {
            align();
        }
    }

    /** The cliques that the node has left while containers use their channels. */
    public synchronized SortedSet<CliqueId> left() {
        return opened.map(HoldState::left).orElseGet(Collections::emptySortedSet);
    }

    /** The channel that prepared claims of the ComputeDomain use; empty if there are none. */
    synchronized Optional<ChannelId> inUse(ComputeDomainUid domain) {
        return Optional.ofNullable(claims.binding().get(domain)).flatMap(Hold::channel);
    }

    private List<Hold> binding() {
        return opened.map(HoldState::binding).orElse(List.of());
    }

    /** The table entries that this node's holds need for the channels that they use. */
    synchronized List<ChannelEntry> uses() {
        return ChannelTable.uses(about.node(), binding());
    }

    /** The tables of cliques, compared with this node's holds. */
    TableWatch tables() {
        return tables;
    }

    /** The known conflict of giving the ComputeDomain this channel here; empty if there is none. Never blocks. */
    synchronized Optional<DoubleUse> conflict(DomainName domain, ChannelId channel) {
        return tables.conflicts()
                .of(domain.uid())
                .or(() -> uses().stream()
                        .filter(use ->
                                use.id().equals(channel) && !use.domain().uid().equals(domain.uid()))
                        .findFirst()
                        .map(use -> new DoubleUse(
                                new ChannelEntry(channel, domain, about.node(), ChannelEntry.EntryState.ASSIGNED),
                                use)));
    }

    synchronized Optional<Long> heldSince(ComputeDomainUid domain, CliqueId in) {
        return opened.flatMap(state -> state.heldSince(domain, in));
    }

    /**
     * Waits until the ComputeDomain is certainly held in the clique, and returns {@link HoldState#heldSince}; empty if
     * the node is no longer in that clique. Fails if the hold cannot be written at present.
     */
    Optional<Long> awaitHeld(ComputeDomainUid domain, CliqueId in) throws ApiException, InterruptedException {
        long before = calls.failures();
        while (true) {
            long seen = changes.raised();
            synchronized (this) {
                Optional<Long> since = heldSince(domain, in);
                boolean elsewhere = written() && !clique.equals(Optional.of(in));
                if (since.isPresent() || elsewhere) {
                    return since;
                }
                Optional<ApiFailure> failure = calls.failures() > before ? calls.failure() : Optional.empty();
                if (failure.isPresent()) {
                    throw new ApiException(failure.get());
                }
            }
            changes.await(seen, Signal.UNTIL_RAISED);
        }
    }

    /** The reason why the last write of the object failed; empty if it succeeded. */
    public Optional<ApiFailure> failure() {
        return calls.failure();
    }

    /** Whether the object is up to date. */
    public synchronized boolean written() {
        return opened.filter(state -> state.due().isEmpty()).isPresent();
    }

    /** The taint NoExecute while containers use a channel that the clique's table contradicts. Never blocks. */
    public List<DeviceTaint> taints() {
        return tables.conflicts().taints();
    }

    /** The containers that use a channel against the clique's table, one sentence each. Never blocks. */
    public List<String> conflicts() {
        return tables.conflicts().texts();
    }

    public synchronized long count() {
        return opened.stream().mapToLong(state -> state.holds().size()).sum();
    }

    /** The number of holds that stay until the node boots again, since no checkpoint records who uses them. */
    public synchronized long kept() {
        return opened.map(HoldState::kept).orElse(0L);
    }

    @Override
    public void close() {
        loop.close();
    }

    private Duration turn() throws InterruptedException {
        if (requested.getAndSet(false) || !untilWrite.isPositive()) {
            untilWrite = Duration.ZERO;
            try {
                untilWrite = writeObject();
            } finally {
                changes.raise();
            }
            if (untilWrite.isZero() && failure().isEmpty()) {
                return Duration.ZERO;
            }
        }
        Duration pause = sooner(untilWrite, compare());
        untilWrite = untilWrite.minus(pause);
        return pause;
    }

    private Duration writeObject() {
        try {
            Duration refused = grant.refusedFor();
            return refused.isPositive() ? refused : write();
        } catch (ApiException e) {
            return calls.failed(e.failure());
        }
    }

    private static Duration sooner(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Compares the channels in use with the clique's table if that is due, even if the object cannot be written. */
    private Duration compare() throws InterruptedException {
        Optional<CliqueId> in;
        synchronized (this) {
            in = uses().isEmpty() ? Optional.empty() : clique;
            tables.follow();
        }
        return in.isEmpty() ? Signal.UNTIL_RAISED : tables.compare(in.get());
    }

    private Duration write() throws ApiException {
        HoldState state;
        Optional<HoldState.DueCall> due;
        Duration untilReported;
        synchronized (this) {
            state = opened.orElseThrow();
            clique = cliqueNow();
            state.moved(clique, channelsNow());
            untilReported = pace.update(state, nanoTime.getAsLong());
            due = state.due();
            if (due.isEmpty()) {
                calls.succeeded();
            }
        }
        return due.isPresent() ? calls.make(due.get(), state) : rest(untilReported);
    }

    /** Checks for the Node and looks up missing names, while the object is up to date. */
    private Duration rest(Duration untilReported) {
        List<Hold> held;
        synchronized (this) {
            held = binding();
        }
        names.request(held);
        if (!held.isEmpty() && pace.newlyMissed(nanoTime.getAsLong())) {
            return Duration.ZERO;
        }
        return sooner(untilReported, held.isEmpty() ? Signal.UNTIL_RAISED : StatusPace.SIGN_OF_LIFE);
    }

    /** Replaces the placeholder name of a hold with this name. */
    private void named(DomainName found) {
        synchronized (this) {
            HoldState state = opened.orElseThrow();
            state.hold(found.uid())
                    .filter(hold -> hold.binds()
                            && hold.domain().name().equals(found.uid().value()))
                    .ifPresent(hold -> state.want(new Hold(found, hold.channel(), hold.kept())));
            claims.rename(found);
        }
        wake();
    }

    /** The node's clique; the last known one while it is unknown. */
    private Optional<CliqueId> cliqueNow() {
        return switch (about.inventory().get().clique()) {
            case CliqueState.KnownClique(CliqueId id) -> Optional.of(id);
            case CliqueState.NoClique _ -> Optional.empty();
            case CliqueState.RegisteringClique _,
                    CliqueState.FailedClique _,
                    CliqueState.ConflictingClique _,
                    CliqueState.UnknownClique _ -> clique;
        };
    }

    private OptionalInt channelsNow() {
        return about.inventory().get().channelCount();
    }
}
