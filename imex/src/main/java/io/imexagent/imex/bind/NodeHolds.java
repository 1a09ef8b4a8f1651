package io.imexagent.imex.bind;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.retry.Backoff;
import io.imexagent.core.slice.Device.Taint;
import io.imexagent.dra.worker.Loop;
import io.imexagent.dra.worker.Signal;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeSight;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the node's object equal to what this node holds: the ComputeDomains of its prepared claims, and of those being
 * prepared. It is the only writer. A take-back is written in the background, for as long as it takes.
 */
public final class NodeHolds implements AutoCloseable {

    /** What people read of the node is written at most this often. */
    private static final Duration SIGHT_REST = Duration.ofSeconds(15);

    /** The same from so many changes in a row on: 10,000 nodes whose links flap write 83 times a second together. */
    private static final Duration LONGEST_REST = Duration.ofMinutes(2);

    private static final int RESTLESS = 5;

    /** How often the object is written while the cluster has no Node of this name: so the controller leaves it. */
    private static final Duration SIGN_OF_LIFE = Duration.ofMinutes(1);

    /** How often a cluster that does not let nodes write their objects is asked again. */
    private static final Duration ASK_AGAIN = Duration.ofMinutes(10);

    private static final Backoff AWAY =
            new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofMinutes(5));

    private static final Logger LOG = LoggerFactory.getLogger(NodeHolds.class);

    private final FabricObjects fabric;
    private final About about;
    private final LongSupplier nanoTime;
    private final DoubleSupplier random;
    private final Loop loop;
    private final MovedChannels moved;
    private final NodePresence presence;
    private final Runnable onTaint;
    private final Signal changes = new Signal();
    // For the loop's thread alone.
    private boolean watching;
    private boolean granted;

    // All below is guarded by this.
    private Optional<HoldBook> opened = Optional.empty();
    private Map<ComputeDomainUid, Hold> inUse = Map.of();
    private final Map<Thread, DomainName> underWay = new HashMap<>();
    private Optional<CliqueId> clique = Optional.empty();
    private NodeSight told = NodeSight.NONE;
    private long toldAt;
    private Duration rest = SIGHT_REST;
    private int changesInARow;
    private long writtenAt;
    private int failures;
    private long failed;
    private Optional<ApiFailure> failure = Optional.empty();

    /**
     * What the object tells of the node. The session is this process, random; {@code nodeMissing} is asked now and then
     * while anything is held, {@code granted}, whether the object may be written at all, until it may.
     */
    public record About(
            String node,
            String session,
            Supplier<NodeInventory> inventory,
            Supplier<NodeSight> sight,
            Call<Boolean> nodeMissing,
            Call<Boolean> granted) {}

    /** One call of the API server. */
    @FunctionalInterface
    public interface Call<T> {

        T make() throws ApiException;
    }

    /** Holds of which nothing is known yet; {@code onTaint} is called when {@link #taints} has changed, and must not block. */
    public NodeHolds(
            FabricObjects fabric, About about, LongSupplier nanoTime, DoubleSupplier random, Runnable onTaint) {
        this.fabric = fabric;
        this.about = about;
        this.nanoTime = nanoTime;
        this.random = random;
        this.loop = Loop.of("holds", this::turn);
        this.moved = new MovedChannels(fabric, about.node());
        this.onTaint = onTaint;
        this.presence = new NodePresence(about.node(), about.nodeMissing(), nanoTime.getAsLong());
    }

    /**
     * Begins to write, after the recovery with the claims that it left; where that was {@code blind}, without a
     * checkpoint that could be read, what the object holds stays held.
     */
    public synchronized void start(Ledger ledger, boolean blind, Optional<BootId> boot) {
        clique = cliqueNow();
        use(ledger);
        opened = Optional.of(new HoldBook(about.session(), inUse.values(), blind, clique, boot, channelsNow()));
        toldAt = nanoTime.getAsLong() - SIGHT_REST.toNanos();
        loop.start();
    }

    /** The claims have changed. Never blocks. */
    public synchronized void follow(Ledger ledger) {
        use(ledger);
        align();
    }

    /** The node has changed, or what people read of it. Never blocks. */
    public void wake() {
        loop.wake();
    }

    private void use(Ledger ledger) {
        inUse = HoldBook.used(
                ledger, domain -> opened.flatMap(book -> book.hold(domain)).map(Hold::domain));
    }

    /** Wakes the loop where there is something to write, or the last try failed: most claims change nothing. */
    private void align() {
        opened.ifPresent(book -> {
            underWay.values().stream()
                    .filter(domain -> book.hold(domain.uid()).isEmpty())
                    .forEach(domain -> book.want(new Hold(domain, Optional.empty())));
            inUse.values().stream()
                    .filter(hold ->
                            !book.hold(hold.domain().uid()).map(Hold::channel).equals(Optional.of(hold.channel())))
                    .forEach(book::want);
            book.holds().stream()
                    .map(hold -> hold.domain())
                    .filter(domain -> !inUse.containsKey(domain.uid()) && !underWay.containsValue(domain))
                    .forEach(domain -> book.release(domain.uid()));
        });
        if (!written() || failures > 0) {
            loop.wake();
        }
    }

    /** The calling thread prepares a claim of this ComputeDomain, until it says {@link #end}. */
    synchronized void begin(DomainName domain) {
        underWay.put(Thread.currentThread(), domain);
        align();
    }

    synchronized void end() {
        if (underWay.remove(Thread.currentThread()) != null) {
            align();
        }
    }

    /** Cliques that the node has left while containers use their channels. */
    public synchronized SortedSet<CliqueId> left() {
        return opened.map(HoldBook::left).orElseGet(Collections::emptySortedSet);
    }

    /** The channel that prepared claims of the ComputeDomain use; empty where there are none. */
    synchronized Optional<ChannelId> inUse(ComputeDomainUid domain) {
        return Optional.ofNullable(inUse.get(domain)).flatMap(Hold::channel);
    }

    synchronized Optional<Long> heldSince(ComputeDomainUid domain, CliqueId in) {
        return opened.flatMap(book -> book.heldSince(domain, in));
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
        return opened.filter(book -> book.due().isEmpty()).isPresent();
    }

    /** The taint NoExecute while containers use a channel that is another's in the node's present clique. Never blocks. */
    public List<Taint> taints() {
        return moved.taints();
    }

    public synchronized long count() {
        return opened.stream().mapToLong(book -> book.holds().size()).sum();
    }

    /** How many holds stay until the node boots again, since no checkpoint knows who uses them. */
    public synchronized long kept() {
        return opened.stream()
                .flatMap(book -> book.holds().stream())
                .filter(Hold::kept)
                .count();
    }

    @Override
    public void close() {
        loop.close();
    }

    private Duration turn() {
        try {
            granted = granted || about.granted().make();
            return granted ? write() : ASK_AGAIN;
        } catch (ApiException e) {
            return failed(e.failure());
        } finally {
            changes.raise();
        }
    }

    private Duration write() throws ApiException {
        Optional<HoldBook.Call> due;
        Duration untilTold;
        synchronized (this) {
            HoldBook book = opened.orElseThrow();
            long now = nanoTime.getAsLong();
            clique = cliqueNow();
            book.moved(clique, channelsNow());
            NodeSight sight = about.sight().get();
            if (!sight.equals(told) && now - toldAt >= rest.toNanos()) {
                book.tell(sight);
                changesInARow = now - toldAt < rest.multipliedBy(2).toNanos() ? changesInARow + 1 : 1;
                rest = changesInARow < RESTLESS ? SIGHT_REST : LONGEST_REST;
                told = sight;
                toldAt = now;
            }
            if (presence.isMissing() && !book.holds().isEmpty() && now - writtenAt >= SIGN_OF_LIFE.toNanos()) {
                book.again();
            }
            untilTold = sight.equals(told) ? Signal.UNTIL_RAISED : rest.minusNanos(now - toldAt);
            due = book.due();
            if (due.isEmpty()) {
                succeeded();
            }
        }
        return due.isPresent() ? call(due.get()) : rest(untilTold);
    }

    /** All is written: what remains is to look after channels that came along from another clique, and for the Node. */
    private Duration rest(Duration untilTold) {
        Optional<CliqueId> in;
        List<Hold> held;
        synchronized (this) {
            HoldBook book = opened.orElseThrow();
            in = clique.filter(here -> !book.left().isEmpty());
            held = book.holds();
        }
        if (in.isPresent() ? moved.look(in.get(), held, nanoTime.getAsLong()) : moved.none()) {
            onTaint.run();
        }
        if (!held.isEmpty() && presence.newlyMissed(nanoTime.getAsLong())) {
            return Duration.ZERO;
        }
        Duration untilLook = held.isEmpty() ? Signal.UNTIL_RAISED : SIGN_OF_LIFE;
        return untilTold.compareTo(untilLook) < 0 ? untilTold : untilLook;
    }

    private Duration call(HoldBook.Call due) throws ApiException {
        return switch (due) {
            case HoldBook.Call.Read _ -> {
                Optional<Stored<NvlinkNode>> found = fabric.nodes().get(about.node());
                synchronized (this) {
                    opened.orElseThrow().read(found);
                }
                yield Duration.ZERO;
            }
            case HoldBook.Call.Create(NvlinkNode content) ->
                write(content, () -> fabric.nodes().create(about.node(), content), ApiFailure.Kind.CONFLICT);
            case HoldBook.Call.Replace(Stored<NvlinkNode> observed, NvlinkNode content) ->
                write(content, () -> fabric.nodes().replace(observed, content), ApiFailure.Kind.NOT_FOUND);
        };
    }

    /** Where another was faster, or has removed the object, it is read again, which is no failure. */
    private Duration write(NvlinkNode content, Call<Stored<NvlinkNode>> write, ApiFailure.Kind overtaken)
            throws ApiException {
        HoldBook book;
        synchronized (this) {
            book = opened.orElseThrow();
            book.begun(content);
        }
        try {
            Stored<NvlinkNode> stored = write.make();
            if (!stored.content().equals(content)) {
                throw new ApiException(new ApiFailure(
                        ApiFailure.Kind.INVALID,
                        "the API server dropped fields of NVLinkNode " + about.node()
                                + ": its CustomResourceDefinition is an older one; apply what imex-agent manifests"
                                + " prints",
                        Optional.empty()));
            }
            synchronized (this) {
                book.written(stored);
                writtenAt = nanoTime.getAsLong();
                succeeded();
            }
            watch();
            return Duration.ZERO;
        } catch (ApiException e) {
            ApiFailure.Kind kind = e.failure().kind();
            synchronized (this) {
                if (kind != ApiFailure.Kind.CONFLICT && kind != overtaken) {
                    book.lost();
                    throw e;
                }
                book.refused();
                return AWAY.after(++failures, random);
            }
        } catch (RuntimeException | Error defect) {
            synchronized (this) {
                book.lost();
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
                opened.orElseThrow().told(object);
            }
            loop.wake();
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
            case CliqueState.Present(CliqueId id) -> Optional.of(id);
            case CliqueState.None _ -> Optional.empty();
            case CliqueState.Registering _, CliqueState.Failed _, CliqueState.Conflicting _, CliqueState.Unknown _ ->
                clique;
        };
    }

    private OptionalInt channelsNow() {
        return about.inventory().get().channelCount();
    }
}
