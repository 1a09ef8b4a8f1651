package io.imexagent.dra.publish;

import io.imexagent.core.retry.Backoff;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.core.slice.SliceAction;
import io.imexagent.core.slice.SlicePlanner;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.kubernetes.Slices;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the ResourceSlices of this node what its inventory says.
 *
 * <p>Level-triggered: a change of the inventory or of the slices, whoever made it, wakes one loop that plans and acts.
 * The watch can lag behind this publisher's own writes, so a plan over the watched state that wants to act is made
 * again over a live list before it does. The kubelet deletes a node's slices when it starts; they come back as soon as
 * the watch tells. At rest nothing is asked: a watch that broke in silence is opened anew within four and a
 * half minutes, and tells what it missed.
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
    private final PublicationReport report;
    private final DoubleSupplier random;
    private final Bell bell;
    private final StoredForms forms = new StoredForms();
    private final AtomicReference<Optional<List<ObservedSlice>>> watched = new AtomicReference<>(Optional.empty());
    private final Thread thread;
    private int failures;

    /**
     * A publisher.
     *
     * @param slices the slices of the driver and node
     * @param nodes node objects, to find the owner of the slices
     * @param nodeName this node
     * @param wanted what the node wants to publish, asked at each plan on the publisher's own thread; takes
     *     milliseconds at most
     * @param changes is given, at the start, what to run after each change of that
     * @param observer is told what happens
     * @param clock the clock
     * @param random random numbers in 0 … 1
     */
    public SlicePublisher(
            Slices slices,
            Nodes nodes,
            String nodeName,
            Supplier<DesiredPool> wanted,
            Consumer<Runnable> changes,
            PublicationObserver observer,
            Clock clock,
            DoubleSupplier random) {
        this(slices, nodes, nodeName, wanted, changes, observer, clock, random, new Bell());
    }

    /** The same with a bell of the caller's, which tells when to look again. */
    public SlicePublisher(
            Slices slices,
            Nodes nodes,
            String nodeName,
            Supplier<DesiredPool> wanted,
            Consumer<Runnable> changes,
            PublicationObserver observer,
            Clock clock,
            DoubleSupplier random,
            Bell bell) {
        this.slices = slices;
        this.nodes = nodes;
        this.nodeName = nodeName;
        this.wanted = wanted;
        this.changes = changes;
        this.observer = observer;
        this.report = new PublicationReport(clock);
        this.random = random;
        this.bell = bell;
        this.thread = Thread.ofVirtual().name("publish").unstarted(this::run);
    }

    /** Begins to publish. */
    public void start() {
        changes.accept(this::wake);
        thread.start();
    }

    /** Plans again now. Never blocks. */
    public void wake() {
        bell.ring();
    }

    /** How far publication has come. Never blocks. */
    public PublicationState state() {
        return report.state();
    }

    /** Ends publication. Published slices stay: the kubelet removes them if no agent comes back. */
    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        try {
            while (true) {
                serve(owner());
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /** The node that owns the slices; a kubelet that has not registered it yet is waited for. */
    private Slices.NodeRef owner() throws InterruptedException {
        while (true) {
            Duration pause = NODE_CHECK;
            try {
                Optional<Nodes.NodeObject> node = nodes.get(nodeName);
                if (node.isPresent()) {
                    failures = 0;
                    return new Slices.NodeRef(nodeName, node.get().uid());
                }
                report.pending("the kubelet to register node " + nodeName
                        + "; check node.name where the kubelet runs with --hostname-override");
            } catch (ApiException failure) {
                pause = failed(failure.failure());
            } catch (RuntimeException defect) {
                pause = failed(defect);
            }
            pause(pause);
        }
    }

    /** Publishes for as long as this is the node's object. */
    private void serve(Slices.NodeRef owner) throws InterruptedException {
        watched.set(Optional.empty());
        Slices.Watching watching = slices.watch(owner, observed -> {
            watched.set(Optional.of(observed));
            wake();
        });
        try {
            // The owner was read a moment ago.
            Step step = step(owner, true);
            while (!(step instanceof Step.NewOwner)) {
                waitAfter(step);
                step = step(owner, false);
            }
        } finally {
            watching.close();
        }
    }

    private void waitAfter(Step step) throws InterruptedException {
        switch (step) {
            case Step.Settled settled -> {
                closing();
                bell.hear();
            }
            case Step.Retry retry -> pause(retry.after());
            case Step.NewOwner newOwner -> {}
        }
    }

    private void pause(Duration atMost) throws InterruptedException {
        closing();
        bell.hearWithin(atMost);
    }

    private static void closing() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("closed");
        }
    }

    private Step step(Slices.NodeRef owner, boolean ownerIsFresh) {
        try {
            Step step = reconcile(owner, ownerIsFresh);
            failures = 0;
            return step;
        } catch (ApiException failure) {
            return new Step.Retry(failed(failure.failure()));
        } catch (RuntimeException defect) {
            return new Step.Retry(failed(defect));
        }
    }

    /** Plans over what the watch saw, and where that wants something done, over a live list; then acts. */
    private Step reconcile(Slices.NodeRef owner, boolean ownerIsFresh) throws ApiException {
        DesiredPool desired = wanted.get();
        Optional<List<ObservedSlice>> seen = watched.get();
        if (seen.isPresent() && plan(desired, seen.get()).isEmpty()) {
            settle(desired, seen.get());
            return new Step.Settled();
        }
        List<ObservedSlice> live = slices.list(owner);
        List<SliceAction> actions = plan(desired, live);
        if (!actions.isEmpty() && !ownerIsFresh && !stillThere(owner)) {
            LOG.info("the node's object was replaced node={} uid={}", owner.name(), owner.uid());
            return new Step.NewOwner();
        }
        for (SliceAction action : actions) {
            act(owner, desired, action);
        }
        settle(desired, live);
        return new Step.Settled();
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
                switch (desired) {
                    case DesiredPool.Publish publish -> forms.stored(publish);
                    case DesiredPool.Withdraw withdraw -> withdraw;
                    case DesiredPool.Keep keep -> keep;
                },
                observed);
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
            case DesiredPool.Publish publish ->
                report.published(publish.devices().size());
            case DesiredPool.Withdraw withdraw -> report.withheld(withdraw.why());
            case DesiredPool.Keep keep -> {
                if (observed.isEmpty()) {
                    report.withheld(keep.why());
                } else {
                    report.published(observed.stream()
                            .mapToInt(slice -> slice.content().devices().size())
                            .sum());
                }
            }
        }
    }

    private Duration failed(RuntimeException defect) {
        LOG.error("publication failed, a defect", defect);
        return failed(new ApiFailure(ApiFailure.Kind.UNREADABLE, "a defect: " + defect, Optional.empty()));
    }

    private Duration failed(ApiFailure failure) {
        observer.failed(failure);
        report.failed(failure);
        return BACKOFF.after(++failures, failure.retryAfter(), random);
    }

    private sealed interface Step {

        /** Nothing to do before something wakes the loop. */
        record Settled() implements Step {}

        /** It failed; something may wake the loop before this time has passed. */
        record Retry(Duration after) implements Step {}

        /** The node has another object, or none. */
        record NewOwner() implements Step {}
    }
}
