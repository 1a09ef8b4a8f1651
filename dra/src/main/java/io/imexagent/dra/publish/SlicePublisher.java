package io.imexagent.dra.publish;

import io.imexagent.core.inventory.Finding;
import io.imexagent.core.retry.Backoff;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.core.slice.SliceAction;
import io.imexagent.core.slice.SlicePlanner;
import io.imexagent.dra.worker.Loop;
import io.imexagent.dra.worker.Signal;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.kubernetes.Slices;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the ResourceSlices of this node what its inventory says: a change of the inventory or of the slices, whoever
 * made it, wakes one loop that plans and acts.
 *
 * <p>The watch can lag behind this publisher's own writes, so a plan over the watched state that wants to act is made
 * again over a live list. The kubelet deletes a node's slices when it starts; they come back as soon as the watch
 * tells. A watch that broke in silence is opened again within four and a half minutes.
 */
public final class SlicePublisher implements AutoCloseable {

    /** How often to look for a Node object: a kubelet registers its node seconds after its start, and a GET costs little. */
    public static final Duration NODE_CHECK = Duration.ofSeconds(5);

    /** The pauses of whatever is published for the node. */
    public static final Backoff BACKOFF =
            new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30), Duration.ofSeconds(30));

    private static final Logger LOG = LoggerFactory.getLogger(SlicePublisher.class);

    private final Slices slices;
    private final Nodes nodes;
    private final String nodeName;
    private final Supplier<DesiredPool> wanted;
    private final Consumer<Runnable> changes;
    private final PublicationObserver observer;
    private final Clock clock;
    private final DoubleSupplier random;
    private final Loop loop;
    private final StoredForms forms = new StoredForms();
    private final AtomicReference<PublicationState> state =
            new AtomicReference<>(new PublicationState.Pending("the start of publication"));
    private final AtomicReference<Optional<List<ObservedSlice>>> watched = new AtomicReference<>(Optional.empty());
    private Optional<Owned> owned = Optional.empty();
    private int failures;

    /**
     * A publisher.
     *
     * @param wanted what the node wants to publish, asked at each plan on the publisher's own thread; takes
     *     milliseconds at most
     * @param changes is given, at the start, what to run after each change of that
     * @param random random numbers in 0 … 1
     * @param signal ends its pauses
     */
    public SlicePublisher(
            Slices slices,
            Nodes nodes,
            String nodeName,
            Supplier<DesiredPool> wanted,
            Consumer<Runnable> changes,
            PublicationObserver observer,
            Clock clock,
            DoubleSupplier random,
            Signal signal) {
        this.slices = slices;
        this.nodes = nodes;
        this.nodeName = nodeName;
        this.wanted = wanted;
        this.changes = changes;
        this.observer = observer;
        this.clock = clock;
        this.random = random;
        this.loop = new Loop("publish", this::publish, this::release, signal);
    }

    /** Begins to publish. */
    public void start() {
        changes.accept(this::wake);
        loop.start();
    }

    /** Plans again now. Never blocks. */
    public void wake() {
        loop.wake();
    }

    /** How far publication has come. Never blocks. */
    public PublicationState state() {
        return state.get();
    }

    /** Ends publication. Published slices stay: the kubelet removes them if no agent comes back. */
    @Override
    public void close() {
        loop.close();
    }

    private Duration publish() {
        try {
            Duration pause = owned.isPresent() ? reconcile(owned.get().node(), false) : begin();
            failures = 0;
            return pause;
        } catch (ApiException failure) {
            return failed(failure.failure());
        } catch (RuntimeException defect) {
            LOG.error("publication failed, a defect", defect);
            return failed(new ApiFailure(ApiFailure.Kind.UNREADABLE, "a defect: " + defect, Optional.empty()));
        }
    }

    /** Publishes for the node's object as it is now; a kubelet that has not registered it yet is waited for. */
    private Duration begin() throws ApiException {
        Optional<Nodes.NodeObject> node = nodes.get(nodeName);
        if (node.isEmpty()) {
            pending("the kubelet to register node " + nodeName
                    + "; check node.name where the kubelet runs with --hostname-override");
            return NODE_CHECK;
        }
        var owner = new Slices.NodeRef(nodeName, node.get().uid());
        watched.set(Optional.empty());
        owned = Optional.of(new Owned(owner, slices.watch(owner, observed -> {
            watched.set(Optional.of(observed));
            wake();
        })));
        return reconcile(owner, true);
    }

    private void release() {
        owned.ifPresent(owner -> owner.watching().close());
        owned = Optional.empty();
    }

    /** Plans over what the watch saw, and where that wants something done, over a live list; then acts. */
    private Duration reconcile(Slices.NodeRef owner, boolean ownerIsFresh) throws ApiException {
        DesiredPool desired = forms.fitting(wanted.get());
        Optional<List<ObservedSlice>> seen = watched.get();
        if (seen.isPresent() && plan(desired, seen.get()).isEmpty()) {
            settle(desired, seen.get());
            return Signal.UNTIL_RAISED;
        }
        List<ObservedSlice> live = slices.list(owner);
        List<SliceAction> actions = plan(desired, live);
        if (!actions.isEmpty() && !ownerIsFresh && !stillThere(owner)) {
            LOG.info("the node's object was replaced node={} uid={}", owner.name(), owner.uid());
            release();
            return Duration.ZERO;
        }
        for (SliceAction action : actions) {
            act(owner, desired, action);
        }
        settle(desired, live);
        // The answers may have told that the server wants it otherwise.
        return forms.fitting(desired).equals(desired) ? Signal.UNTIL_RAISED : Duration.ZERO;
    }

    /** Slices of a node object that is gone are collected by the API server, over and over. */
    private boolean stillThere(Slices.NodeRef owner) throws ApiException {
        return nodes.get(nodeName)
                .map(Nodes.NodeObject::uid)
                .filter(owner.uid()::equals)
                .isPresent();
    }

    private List<SliceAction> plan(DesiredPool desired, List<ObservedSlice> observed) {
        return SlicePlanner.plan(
                desired instanceof DesiredPool.Publish publish ? forms.stored(publish) : desired, observed);
    }

    private void act(Slices.NodeRef owner, DesiredPool desired, SliceAction action) throws ApiException {
        switch (action) {
            case SliceAction.Create create -> {
                PoolSlice content = wanted(create.content(), desired);
                forms.learn(
                        content, slices.create(owner, create.index(), content).content());
                told("create", content);
            }
            case SliceAction.Replace replace -> {
                PoolSlice content = wanted(replace.content(), desired);
                forms.learn(
                        content,
                        slices.replace(owner, replace.observed(), content).content());
                told("replace", content);
            }
            case SliceAction.Delete delete -> {
                slices.delete(delete.observed());
                told("delete", delete.observed().content());
            }
        }
    }

    private PoolSlice wanted(PoolSlice content, DesiredPool desired) {
        return desired instanceof DesiredPool.Publish publish ? forms.wanted(content, publish) : content;
    }

    private void told(String action, PoolSlice content) {
        observer.acted(action);
        LOG.info(
                "resource slice {}d pool={} generation={} devices={}",
                action,
                content.pool(),
                content.generation(),
                content.devices().size());
    }

    private void settle(DesiredPool desired, List<ObservedSlice> observed) {
        switch (desired) {
            case DesiredPool.Publish publish -> published(publish.devices().size());
            case DesiredPool.Withdraw withdraw -> withheld(withdraw.why());
            case DesiredPool.Keep keep -> {
                if (observed.isEmpty()) {
                    withheld(keep.why());
                } else {
                    published(observed.stream()
                            .mapToInt(slice -> slice.content().devices().size())
                            .sum());
                }
            }
        }
    }

    private void pending(String waitingFor) {
        var pending = new PublicationState.Pending(waitingFor);
        if (!pending.equals(state.getAndSet(pending))) {
            LOG.info("publication waits for=\"{}\"", waitingFor);
        }
    }

    private void published(int devices) {
        if (!(state.get() instanceof PublicationState.Published before) || before.devices() != devices) {
            state.set(new PublicationState.Published(devices, clock.instant()));
            LOG.info("devices published count={}", devices);
        }
    }

    private void withheld(Finding why) {
        var withheld = new PublicationState.Withheld(why);
        if (!withheld.equals(state.getAndSet(withheld))) {
            LOG.warn("nothing published code={} reason=\"{}\" remedy=\"{}\"", why.code(), why.message(), why.remedy());
        }
    }

    private Duration failed(ApiFailure failure) {
        observer.failed(failure);
        Instant since = clock.instant();
        boolean known = false;
        if (state.get() instanceof PublicationState.Failing before) {
            since = before.since();
            known = before.failure().kind() == failure.kind();
        }
        state.set(new PublicationState.Failing(failure, since));
        if (!known) {
            LOG.warn("publication failed kind={} reason=\"{}\"", failure.kind().label(), failure.message());
        }
        return BACKOFF.after(++failures, failure.retryAfter(), random);
    }

    /** The node's object that slices are published for. */
    private record Owned(Slices.NodeRef node, Slices.Watching watching) {}
}
