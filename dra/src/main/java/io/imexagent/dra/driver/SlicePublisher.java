package io.imexagent.dra.driver;

import io.imexagent.core.check.Condition;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.retry.Backoff;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.core.slice.SlicePlanner;
import io.imexagent.core.slice.SlicePlanner.SliceAction;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.kubernetes.Slices;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
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
 *
 * Keeps the ResourceSlices of this node equal to its inventory. Any change of the inventory or of the slices wakes one
 * loop, which plans and acts.
 *
 * <p>The watch can lag behind this publisher's own writes, so a plan with actions is made again over a fresh list.
 * Slices that the kubelet deletes at its start are restored when the watch reports that; a watch that broke silently is
 * reopened within four and a half minutes. Closing the publisher leaves the slices: the kubelet removes them if no
 * agent returns.
 */
public final class SlicePublisher extends Loop {

    /** How often to look for a Node object: a kubelet registers its node seconds after its start, and a GET costs little. */
    public static final Duration NODE_CHECK = Duration.ofSeconds(5);

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
    private final StoredForms forms = new StoredForms();
    private final AtomicReference<PublicationState> state =
            new AtomicReference<>(new PublicationState.PublicationPending("the start of publication"));
    private final AtomicReference<Optional<List<ObservedSlice>>> watched = new AtomicReference<>(Optional.empty());
    private Optional<OwnedSlices> owned = Optional.empty();
    private int failures;

    /**
     * A publisher of the desired pool, which is read at each plan on the publisher's thread. {@code changes} receives,
     * at the start, the callback to run after each change of the pool. The signal ends pauses; {@code random} spreads
     * pauses, by numbers in 0 … 1.
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
        super("publish", signal);
        this.slices = slices;
        this.nodes = nodes;
        this.nodeName = nodeName;
        this.wanted = wanted;
        this.changes = changes;
        this.observer = observer;
        this.clock = clock;
        this.random = random;
    }

    @Override
    public void start() {
        changes.accept(this::wake);
        super.start();
    }

    /** How far publication has come. Never blocks. */
    public PublicationState state() {
        return state.get();
    }

    @Override
    protected Duration turn() {
        try {
            Duration pause = owned.isPresent() ? reconcile(owned.get().node(), false) : begin();
            failures = 0;
            return pause;
        } catch (ApiException failure) {
            return failed(failure.failure());
        } catch (RuntimeException defect) {
            LOG.error("publication failed, a defect", defect);
            return failed(new ApiFailure(ApiFailure.FailureKind.UNREADABLE, "a defect: " + defect, Optional.empty()));
        }
    }

    /** Starts the publication for the current Node object; waits if the kubelet has not registered the node yet. */
    private Duration begin() throws ApiException {
        Optional<Nodes.NodeObject> node = nodes.get(nodeName);
        if (node.isEmpty()) {
            pending("the kubelet to register node " + nodeName
                    + "; check node.name where the kubelet runs with --hostname-override");
            return NODE_CHECK;
        }
        var owner = new Slices.NodeRef(nodeName, node.get().uid());
        watched.set(Optional.empty());
        owned = Optional.of(new OwnedSlices(owner, slices.watch(owner, observed -> {
            watched.set(Optional.of(observed));
            wake();
        })));
        return reconcile(owner, true);
    }

    @Override
    protected void ended() {
        release();
    }

    private void release() {
        owned.ifPresent(owner -> owner.watching().close());
        owned = Optional.empty();
    }

    /** Plans over the watched slices, and, if that plan has actions, again over a fresh list; then acts. */
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
        // The answers may have shown that the server stores the devices in another form.
        return forms.fitting(desired).equals(desired) ? Signal.UNTIL_RAISED : Duration.ZERO;
    }

    /**
     * Whether the Node object still exists: the API server garbage-collects slices of a deleted Node, again and again.
     */
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
            case SliceAction.CreateSlice(int index, PoolSlice content) -> {
                PoolSlice requested = forms.wanted(content, desired);
                forms.learn(requested, slices.create(owner, index, requested).content());
                logWritten("create", requested);
            }
            case SliceAction.ReplaceSlice(ObservedSlice before, PoolSlice content) -> {
                PoolSlice requested = forms.wanted(content, desired);
                forms.learn(requested, slices.replace(owner, before, requested).content());
                logWritten("replace", requested);
            }
            case SliceAction.DeleteSlice(ObservedSlice surplus) -> {
                slices.delete(surplus);
                logWritten("delete", surplus.content());
            }
        }
    }

    private void logWritten(String action, PoolSlice content) {
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
        var pending = new PublicationState.PublicationPending(waitingFor);
        if (!pending.equals(state.getAndSet(pending))) {
            LOG.info("publication waits for=\"{}\"", waitingFor);
        }
    }

    private void published(int devices) {
        if (!(state.get() instanceof PublicationState.PublicationDone before) || before.devices() != devices) {
            state.set(new PublicationState.PublicationDone(devices, clock.instant()));
            LOG.info("devices published count={}", devices);
        }
    }

    private void withheld(Finding why) {
        var withheld = new PublicationState.PublicationWithheld(why);
        if (!withheld.equals(state.getAndSet(withheld))) {
            LOG.warn("nothing published code={} reason=\"{}\" remedy=\"{}\"", why.code(), why.message(), why.remedy());
        }
    }

    private Duration failed(ApiFailure failure) {
        observer.failed(failure);
        Instant since = clock.instant();
        boolean known = false;
        if (state.get() instanceof PublicationState.PublicationFailing before) {
            since = before.since();
            known = before.failure().kind() == failure.kind();
        }
        state.set(new PublicationState.PublicationFailing(failure, since));
        if (!known) {
            LOG.warn("publication failed kind={} reason=\"{}\"", failure.kind().label(), failure.message());
        }
        return BACKOFF.after(++failures, failure.retryAfter(), random);
    }

    private record OwnedSlices(Slices.NodeRef node, Slices.SliceWatch watching) {}

    /** Observes the publication, for metrics. Called on the publisher's threads; must not block. */
    public interface PublicationObserver {

        /** A call was made and answered: {@code create}, {@code replace}, {@code delete} or {@code label}. */
        default void acted(String action) {}

        default void failed(ApiFailure failure) {}
    }

    /** The state of the publication of the node's devices. */
    public sealed interface PublicationState {

        /** The publication is in progress; {@code waitingFor} is a clause. */
        record PublicationPending(String waitingFor) implements PublicationState {}

        /** The API server has had all {@code devices} of the node since this time. */
        record PublicationDone(int devices, Instant since) implements PublicationState {}

        /** Nothing is published, because of the node's state or the configuration. */
        record PublicationWithheld(Finding why) implements PublicationState {}

        /** Calls have failed since this time, the last one with this failure; they are repeated. */
        record PublicationFailing(ApiFailure failure, Instant since) implements PublicationState {}

        default Condition condition() {
            return switch (this) {
                case PublicationPending(String waitingFor) ->
                    new Condition("published", false, "waiting for " + waitingFor);
                case PublicationDone(int devices, Instant since) ->
                    new Condition("published", true, devices + " devices since " + since);
                case PublicationWithheld(Finding why) -> new Condition("published", false, why.message());
                case PublicationFailing(ApiFailure failure, Instant since) ->
                    new Condition("published", false, "failing since " + since + ": " + failure.message());
            };
        }
    }
}
