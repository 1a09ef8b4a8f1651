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
 * Keeps the node's NVLinkNode equal to what this node holds: the ComputeDomains of its prepared claims, and of those
 * being prepared. It is the object's only writer. It releases holds, and reports who uses channel 0, in the background:
 * no claim waits for either.
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

    /** {@link #wake} was called: the object is due now. */
    private final AtomicBoolean requested = new AtomicBoolean();

    /** How long the next write can wait unless {@link #wake} is called. For the loop's thread alone. */
    private Duration untilWrite = Duration.ZERO;

    // All below is guarded by this.
    private Optional<HoldState> opened = Optional.empty();
    private final ClaimHolds claims = new ClaimHolds();
    private final StatusPace pace;
    private Optional<CliqueId> clique = Optional.empty();

    /**
     * Sources of what the object reports. The session is a random name of this process. {@code nodeMissing} is called
     * now and then while anything is held; {@code granted}, whether the node may write the object, until it may; {@code
     * names}, where claims give only the UID of their ComputeDomain.
     */
    public record NodeSources(
            String node,
            String session,
            Supplier<NodeInventory> inventory,
            Supplier<NodeStatus> status,
            ApiCall<Boolean> nodeMissing,
            ApiCall<Boolean> granted,
            DomainNameLookup names) {}

    /** One call of the API server. */
    @FunctionalInterface
    public interface ApiCall<T> {

        T make() throws ApiException;
    }

    /** What the ComputeDomain of a namespace that has this UID is called; empty where there is none. */
    @FunctionalInterface
    public interface DomainNameLookup {

        DomainNameLookup NONE = (namespace, domain) -> Optional.empty();

        Optional<DomainName> of(String namespace, ComputeDomainUid domain) throws ApiException;
    }

    /**
     * Holds of which nothing is known yet; {@code onTaint} is called when {@link #taints} has changed, and must not
     * block.
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
     * Begins to write, after the recovery with the claims that it left; where that was {@code blind}, without a
     * checkpoint that could be read, what the object holds stays held.
     */
    public synchronized void start(Ledger ledger, boolean blind, Optional<BootId> boot) {
        claims.follow(ledger, this::hold);
        pace.begin(claims.sharing(), nanoTime.getAsLong());
        clique = cliqueNow();
        begin(new HoldState(about.session(), claims.used(), blind, clique, boot, channelsNow()));
    }

    /** Begins to write for an agent that only observes: what the object binds stays as it is. */
    public synchronized void observe(Optional<BootId> boot) {
        clique = cliqueNow();
        begin(HoldState.observing(about.session(), clique, boot, channelsNow()));
    }

    private void begin(HoldState state) {
        opened = Optional.of(state);
        loop.start();
    }

    /** The claims have changed. Never blocks. */
    public synchronized void follow(Ledger ledger) {
        claims.follow(ledger, this::hold);
        align();
        tables.follow();
        if (pace.shares(claims.sharing(), nanoTime.getAsLong()) && !calls.failing()) {
            wake();
        }
    }

    /** The node has changed, or what people read of it. Never blocks. */
    public void wake() {
        requested.set(true);
        loop.wake();
    }

    private Optional<Hold> hold(ComputeDomainUid domain) {
        return opened.flatMap(state -> state.hold(domain));
    }

    /** Wakes the loop where there is something to write, or the last try failed: most claims change nothing. */
    private void align() {
        boolean changed = opened.map(claims::align).orElse(false);
        if ((changed || !claims.nonePrepares()) && (!written() || calls.failing())) {
            wake();
        }
    }

    /** The calling thread prepares a claim of this ComputeDomain, until it says {@link #end}. */
    synchronized void begin(DomainName domain) {
        claims.begin(domain);
        align();
    }

    /** The calling thread prepares a claim of channel 0 of this ComputeDomain, until it says {@link #end}. */
    synchronized void name(DomainName domain) {
        claims.name(domain);
    }

    synchronized void end() {
        if (claims.end()) {
            align();
        }
    }

    /** Cliques that the node has left while containers use their channels. */
    public synchronized SortedSet<CliqueId> left() {
        return opened.map(HoldState::left).orElseGet(Collections::emptySortedSet);
    }

    /** The channel that prepared claims of the ComputeDomain use; empty where there are none. */
    synchronized Optional<ChannelId> inUse(ComputeDomainUid domain) {
        return Optional.ofNullable(claims.binding().get(domain)).flatMap(Hold::channel);
    }

    private List<Hold> binding() {
        return opened.map(HoldState::binding).orElse(List.of());
    }

    /** The channels that this node's holds use, as the entries of a table that they need. */
    synchronized List<ChannelEntry> uses() {
        return ChannelTable.uses(about.node(), binding());
    }

    /** The tables of cliques, compared with what this node holds. */
    TableWatch tables() {
        return tables;
    }

    /** The conflict, as far as it is known, of giving the ComputeDomain this channel on this node. Never blocks. */
    synchronized Optional<DoubleUse> conflict(DomainName domain, ChannelId channel) {
        return tables.known(domain.uid())
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
     * Waits until the ComputeDomain is surely held in the clique, and says since when; empty where the node is not in
     * that clique any more. Fails where that cannot be written at present.
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

    /** Why the object could not be written the last time; empty where it could. */
    public Optional<ApiFailure> failure() {
        return calls.failure();
    }

    /** Whether the object says what it should. */
    public synchronized boolean written() {
        return opened.filter(state -> state.due().isEmpty()).isPresent();
    }

    /** The taint NoExecute while containers use a channel against the table of the node's clique. Never blocks. */
    public List<DeviceTaint> taints() {
        return tables.taints();
    }

    /** Which containers use a channel against the table of the node's clique, a sentence for each. Never blocks. */
    public List<String> conflicts() {
        return tables.texts();
    }

    public synchronized long count() {
        return opened.stream().mapToLong(state -> state.holds().size()).sum();
    }

    /** How many holds stay until the node boots again, since no checkpoint knows who uses them. */
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

    /** Compares what is used with the clique's table where that is due, whether the object can be written or not. */
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

    /** All is written: checks for the Node, and looks up names that are missing. */
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

    /** Gives this name to a hold that still has its UID for a name. */
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

    /** The node's clique; the last one while that is not known. */
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
