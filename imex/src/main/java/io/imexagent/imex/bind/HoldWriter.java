package io.imexagent.imex.bind;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.retry.Backoff;
import io.imexagent.core.slice.Device.DeviceTaint;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.DoubleUse;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the node's object equal to what this node holds: the ComputeDomains of its prepared claims, and of those being
 * prepared. It is the only writer. A take-back is written in the background, for as long as it takes, and so is all that
 * is said of channel 0: that is a report, for which nothing waits and nobody is woken.
 */
public final class HoldWriter implements AutoCloseable {

    /** How often the object is written while the cluster has no Node of this name: so the controller leaves it. */
    private static final Duration SIGN_OF_LIFE = Duration.ofMinutes(1);

    static final Backoff AWAY = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofMinutes(5));

    private static final Logger LOG = LoggerFactory.getLogger(HoldWriter.class);

    private final FabricObjects fabric;
    private final NodeSources about;
    private final LongSupplier nanoTime;
    private final DoubleSupplier random;
    private final Loop loop;
    private final ChannelConflicts conflicts;
    private final DomainNames names;
    private final NodePresence presence;
    private final WriteGrant grant;
    private final Runnable onTaint;
    private final Signal changes = new Signal();

    /** Somebody wants the object to be written at once. */
    private final AtomicBoolean requested = new AtomicBoolean();

    // For the loop's thread alone.
    private boolean watching;

    /** For how long the object need not be written, unless somebody asks for it. */
    private Duration untilWrite = Duration.ZERO;

    // All below is guarded by this.
    private Optional<HoldState> opened = Optional.empty();
    private Map<ComputeDomainUid, Hold> inUse = Map.of();
    private final Map<Thread, DomainName> underWay = new HashMap<>();

    /** The ComputeDomains of claims of channel 0 that are being prepared. */
    private final Map<Thread, DomainName> named = new HashMap<>();

    private Optional<CliqueId> clique = Optional.empty();
    private OperatorReport report;
    private long writtenAt;
    private int failures;
    private long failed;
    private Optional<ApiFailure> failure = Optional.empty();

    /** The reads of tables that are under way, each with what became of it: one for all who look at the same time. */
    private final Map<CliqueId, CompletableFuture<Optional<ApiFailure>>> reads = new HashMap<>();

    /**
     * What the object tells of the node. The session is this process, random; {@code nodeMissing} is asked now and then
     * while anything is held, {@code granted}, whether the object may be written at all, until it may, {@code names},
     * where claims give no more than the UID of their ComputeDomain.
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

    private static final class ConflictLog implements ChannelConflicts.ConflictListener {

        @Override
        public void started(DoubleUse use, CliqueId clique) {
            LOG.error(
                    "containers use a channel against the table of their clique, end their pods at once channel={} used={}"
                            + " owner={} reason=\"{}\"",
                    use.user().id(),
                    use.user().domain(),
                    use.owner().domain(),
                    use.text(clique));
        }

        @Override
        public void over(DoubleUse use) {
            LOG.info(
                    "channel conflict is over channel={} used={} owner={}",
                    use.user().id(),
                    use.user().domain(),
                    use.owner().domain());
        }
    }

    /** Holds of which nothing is known yet; {@code onTaint} is called when {@link #taints} has changed, and must not block. */
    public HoldWriter(
            FabricObjects fabric, NodeSources about, LongSupplier nanoTime, DoubleSupplier random, Runnable onTaint) {
        this.fabric = fabric;
        this.about = about;
        this.nanoTime = nanoTime;
        this.random = random;
        this.loop = Loop.of("holds", this::turn);
        this.conflicts = new ChannelConflicts(about.node(), new ConflictLog());
        this.names = new DomainNames(about.names(), nanoTime, this::named);
        this.onTaint = onTaint;
        this.presence = new NodePresence(about.node(), about.nodeMissing(), nanoTime.getAsLong());
        this.grant = new WriteGrant(about.granted(), nanoTime, random);
        this.report = new OperatorReport(Map.of(), nanoTime.getAsLong());
    }

    /**
     * Begins to write, after the recovery with the claims that it left; where that was {@code blind}, without a
     * checkpoint that could be read, what the object holds stays held.
     */
    public synchronized void start(Ledger ledger, boolean blind, Optional<BootId> boot) {
        Map<ComputeDomainUid, Hold> used = used(ledger);
        report = new OperatorReport(sharing(used), nanoTime.getAsLong());
        inUse = binding(used);
        clique = cliqueNow();
        begin(new HoldState(about.session(), used.values(), blind, clique, boot, channelsNow()));
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
        Map<ComputeDomainUid, Hold> used = used(ledger);
        inUse = binding(used);
        align();
        if (conflicts.follow(binding())) {
            onTaint.run();
        }
        if (report.shares(sharing(used), nanoTime.getAsLong()) && failures == 0) {
            wake();
        }
    }

    /** The node has changed, or what people read of it. Never blocks. */
    public void wake() {
        requested.set(true);
        loop.wake();
    }

    private Map<ComputeDomainUid, Hold> used(Ledger ledger) {
        return HoldState.used(ledger, this::known);
    }

    private static Map<ComputeDomainUid, Hold> binding(Map<ComputeDomainUid, Hold> used) {
        return NvlinkNode.byDomain(used.values().stream().filter(Hold::binds).toList());
    }

    private static Map<ComputeDomainUid, Hold> sharing(Map<ComputeDomainUid, Hold> used) {
        return NvlinkNode.byDomain(
                used.values().stream().filter(hold -> !hold.binds()).toList());
    }

    /** What a ComputeDomain is called, as a prepare says that has read it, or else a hold, which may have guessed. */
    private Optional<DomainName> known(ComputeDomainUid domain) {
        return Stream.concat(named.values().stream(), underWay.values().stream())
                .filter(name -> name.uid().equals(domain))
                .findFirst()
                .or(() -> opened.flatMap(state -> state.hold(domain))
                        .or(() -> Optional.ofNullable(report.shared().get(domain)))
                        .map(Hold::domain));
    }

    /** Wakes the loop where there is something to write, or the last try failed: most claims change nothing. */
    private void align() {
        boolean changed =
                opened.map(state -> state.align(underWay.values(), inUse)).orElse(false);
        if ((changed || !underWay.isEmpty()) && (!written() || failures > 0)) {
            wake();
        }
    }

    /** The calling thread prepares a claim of this ComputeDomain, until it says {@link #end}. */
    synchronized void begin(DomainName domain) {
        underWay.put(Thread.currentThread(), domain);
        align();
    }

    /** The calling thread prepares a claim of channel 0 of this ComputeDomain, until it says {@link #end}. */
    synchronized void name(DomainName domain) {
        named.put(Thread.currentThread(), domain);
    }

    synchronized void end() {
        named.remove(Thread.currentThread());
        if (underWay.remove(Thread.currentThread()) != null) {
            align();
        }
    }

    /** Cliques that the node has left while containers use their channels. */
    public synchronized SortedSet<CliqueId> left() {
        return opened.map(HoldState::left).orElseGet(Collections::emptySortedSet);
    }

    /** The channel that prepared claims of the ComputeDomain use; empty where there are none. */
    synchronized Optional<ChannelId> inUse(ComputeDomainUid domain) {
        return Optional.ofNullable(inUse.get(domain)).flatMap(Hold::channel);
    }

    private List<Hold> binding() {
        return opened.map(HoldState::binding).orElse(List.of());
    }

    /** The channels that this node's holds use, as the entries of a table that they need. */
    synchronized List<ChannelEntry> uses() {
        return ChannelTable.uses(about.node(), binding());
    }

    /** Reads the table of a clique, and compares what is held with it. Blocking. */
    Optional<Stored<NvlinkClique>> table(CliqueId of) throws ApiException {
        ChannelConflicts.TableReading reading;
        synchronized (this) {
            reading = conflicts.begin(of, binding(), nanoTime.getAsLong());
        }
        try {
            Optional<Stored<NvlinkClique>> found = fabric.cliques().get(of.text());
            synchronized (this) {
                if (conflicts.compare(
                        reading, found.map(table -> table.content().table()), binding())) {
                    onTaint.run();
                }
            }
            return found;
        } catch (ApiException e) {
            if (conflicts.failed(reading, nanoTime.getAsLong())) {
                LOG.warn(
                        "cannot compare the channels in use with the clique's table, what was found before stays"
                                + " clique={} error=\"{}\"",
                        of,
                        e.failure().message());
            }
            throw e;
        }
    }

    /**
     * What speaks against giving the ComputeDomain the channel that its prepared claims use. The table is read where it
     * was not compared yet, and where it spoke against that before: it may have been mended. Blocking.
     */
    Optional<DoubleUse> conflict(ComputeDomainUid domain, CliqueId in) throws ApiException, InterruptedException {
        boolean compared = conflicts.compared(in);
        if (!compared || conflicts.of(domain).isPresent()) {
            try {
                readNodes(in);
            } catch (ApiException e) {
                if (!compared) {
                    throw e;
                }
            }
        }
        return conflicts.of(domain);
    }

    /** Reads the table with all who look at the same time, and compares what is held with it. Blocking. */
    private void readNodes(CliqueId in) throws ApiException, InterruptedException {
        CompletableFuture<Optional<ApiFailure>> read;
        synchronized (this) {
            read = reads.computeIfAbsent(in, this::pendingRead);
        }
        try {
            Optional<ApiFailure> failed = read.get();
            if (failed.isPresent()) {
                throw new ApiException(failed.get());
            }
        } catch (ExecutionException defect) {
            throw new IllegalStateException(defect);
        }
    }

    /** A read that nobody who gives up ends for the others. */
    private CompletableFuture<Optional<ApiFailure>> pendingRead(CliqueId in) {
        var read = new CompletableFuture<Optional<ApiFailure>>();
        Thread.ofVirtual().name("table").start(() -> {
            Optional<ApiFailure> failed = Optional.empty();
            try {
                var _ = table(in);
            } catch (ApiException e) {
                failed = Optional.of(e.failure());
            } catch (RuntimeException | Error defect) {
                read.completeExceptionally(defect);
            } finally {
                synchronized (this) {
                    var _ = reads.remove(in);
                }
            }
            read.complete(failed);
        });
        return read;
    }

    /** What is known to speak against giving the ComputeDomain this channel on this node. Never blocks. */
    synchronized Optional<DoubleUse> conflict(DomainName domain, ChannelId channel) {
        return conflicts
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
     * Waits until the ComputeDomain is surely held in the clique, and says since when; empty where the node is not in
     * that clique any more. Fails where that cannot be written at present.
     */
    Optional<Long> awaitHeld(ComputeDomainUid domain, CliqueId in) throws ApiException, InterruptedException {
        long before = failed();
        while (true) {
            long seen = changes.raised();
            synchronized (this) {
                Optional<Long> since = heldSince(domain, in);
                boolean elsewhere = written() && !clique.equals(Optional.of(in));
                if (since.isPresent() || elsewhere) {
                    return since;
                }
                if (failed > before && failure.isPresent()) {
                    throw new ApiException(failure.get());
                }
            }
            changes.await(seen, Signal.UNTIL_RAISED);
        }
    }

    private synchronized long failed() {
        return failed;
    }

    /** Why the object could not be written the last time; empty where it could. */
    public synchronized Optional<ApiFailure> failure() {
        return failure;
    }

    /** Whether the object says what it should. */
    public synchronized boolean written() {
        return opened.filter(state -> state.due().isEmpty()).isPresent();
    }

    /** The taint NoExecute while containers use a channel against the table of the node's clique. Never blocks. */
    public List<DeviceTaint> taints() {
        return conflicts.taints();
    }

    /** Which containers use a channel against the table of the node's clique, a sentence for each. Never blocks. */
    public List<String> conflicts() {
        return conflicts.texts();
    }

    public synchronized long count() {
        return opened.stream().mapToLong(state -> state.holds().size()).sum();
    }

    /** How many holds stay until the node boots again, since no checkpoint knows who uses them. */
    public synchronized long kept() {
        return opened.stream()
                .flatMap(state -> state.holds().stream())
                .filter(Hold::kept)
                .count();
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
            return failed(e.failure());
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
            if (conflicts.follow(binding())) {
                onTaint.run();
            }
        }
        if (in.isEmpty()) {
            return Signal.UNTIL_RAISED;
        }
        if (!conflicts.restFor(in.get(), nanoTime.getAsLong()).isPositive()) {
            try {
                readNodes(in.get());
            } catch (ApiException e) {
                // The read reports it.
                return conflicts.restFor(in.get(), nanoTime.getAsLong());
            }
        }
        return conflicts.restFor(in.get(), nanoTime.getAsLong());
    }

    private Duration write() throws ApiException {
        Optional<HoldState.DueCall> due;
        Duration untilReported;
        synchronized (this) {
            HoldState state = opened.orElseThrow();
            long now = nanoTime.getAsLong();
            clique = cliqueNow();
            state.moved(clique, channelsNow());
            untilReported = report.update(state, about.status().get(), now);
            if (presence.isMissing() && !state.binding().isEmpty() && now - writtenAt >= SIGN_OF_LIFE.toNanos()) {
                state.again();
            }
            due = state.due();
            if (due.isEmpty()) {
                succeeded();
            }
        }
        return due.isPresent() ? call(due.get()) : rest(untilReported);
    }

    /** All is written: what remains is to look for the Node, and for names. */
    private Duration rest(Duration untilReported) {
        List<Hold> held;
        synchronized (this) {
            held = binding();
        }
        names.request(held);
        if (!held.isEmpty() && presence.newlyMissed(nanoTime.getAsLong())) {
            return Duration.ZERO;
        }
        return sooner(untilReported, held.isEmpty() ? Signal.UNTIL_RAISED : SIGN_OF_LIFE);
    }

    /** Holds under this name what is still held and has none yet. */
    private void named(DomainName found) {
        synchronized (this) {
            HoldState state = opened.orElseThrow();
            state.hold(found.uid())
                    .filter(hold -> hold.binds()
                            && hold.domain().name().equals(found.uid().value()))
                    .ifPresent(hold -> state.want(new Hold(found, hold.channel(), hold.kept())));
            var used = new HashMap<>(inUse);
            used.computeIfPresent(found.uid(), (_, hold) -> new Hold(found, hold.channel()));
            inUse = used;
        }
        wake();
    }

    private Duration call(HoldState.DueCall due) throws ApiException {
        return switch (due) {
            case HoldState.DueCall.ReadHolds _ -> {
                Optional<Stored<NvlinkNode>> found = fabric.nodes().get(about.node());
                synchronized (this) {
                    opened.orElseThrow().read(found);
                }
                yield Duration.ZERO;
            }
            case HoldState.DueCall.CreateHolds(NvlinkNode content) ->
                write(content, () -> fabric.nodes().create(about.node(), content), ApiFailure.FailureKind.CONFLICT);
            case HoldState.DueCall.ReplaceHolds(Stored<NvlinkNode> observed, NvlinkNode content) ->
                write(content, () -> fabric.nodes().replace(observed, content), ApiFailure.FailureKind.NOT_FOUND);
        };
    }

    /** Where another was faster, or has removed the object, it is read again, which is no failure. */
    private Duration write(NvlinkNode content, ApiCall<Stored<NvlinkNode>> write, ApiFailure.FailureKind overtaken)
            throws ApiException {
        HoldState state;
        synchronized (this) {
            state = opened.orElseThrow();
            state.started(content);
        }
        try {
            Stored<NvlinkNode> stored = write.make();
            boolean modeDropped = !stored.content().equals(content);
            if (modeDropped && !stored.content().equals(content.withoutMode())) {
                throw new ApiException(new ApiFailure(
                        ApiFailure.FailureKind.INVALID,
                        "the API server dropped fields of NVLinkNode " + about.node()
                                + ": its CustomResourceDefinition is an older one; apply what imex-agent manifests"
                                + " prints",
                        Optional.empty()));
            }
            if (modeDropped) {
                LOG.warn("the API server drops status.mode of NVLinkNodes, so the controller cannot tell whether this"
                        + " node's mode and isolation are its own remedy=\"apply what imex-agent manifests"
                        + " prints, then restart the agent\"");
            }
            synchronized (this) {
                if (modeDropped) {
                    report.dropMode(state);
                }
                state.written(stored);
                writtenAt = nanoTime.getAsLong();
                succeeded();
            }
            watch();
            return Duration.ZERO;
        } catch (ApiException e) {
            ApiFailure.FailureKind kind = e.failure().kind();
            synchronized (this) {
                if (kind != ApiFailure.FailureKind.CONFLICT && kind != overtaken) {
                    state.lost();
                    throw e;
                }
                state.refused();
                return AWAY.after(++failures, random);
            }
        } catch (RuntimeException | Error defect) {
            synchronized (this) {
                state.lost();
            }
            throw defect;
        }
    }

    /** From the first write on: a cluster without the kind is not asked for it again and again. */
    private void watch() {
        if (watching) {
            return;
        }
        watching = true;
        long kept = kept();
        if (kept > 0) {
            LOG.warn(
                    "ComputeDomains stay held until the node boots again, since no checkpoint tells who uses their"
                            + " channels count={} remedy=\"end their pods on this node and reboot it; or, where none of"
                            + " their containers runs, stop the agent, take them out of spec.holds (kubectl edit"
                            + " nvlinknode {}), and start the agent\"",
                    kept,
                    about.node());
        }
        fabric.watch(about.node(), object -> {
            synchronized (this) {
                opened.orElseThrow().observed(object);
            }
            wake();
        });
    }

    private synchronized void succeeded() {
        if (failure.isPresent()) {
            LOG.info("NVLinkNode written again node={}", about.node());
        }
        failures = 0;
        failure = Optional.empty();
    }

    private synchronized Duration failed(ApiFailure why) {
        if (!failure.map(ApiFailure::kind).equals(Optional.of(why.kind()))) {
            LOG.warn(
                    "NVLinkNode not written, trying again node={} kind={} error=\"{}\"",
                    about.node(),
                    why.kind().label(),
                    why.message());
        }
        failure = Optional.of(why);
        failed++;
        return AWAY.after(++failures, why.retryAfter(), random);
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
