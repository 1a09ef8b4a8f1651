package io.imexagent.agent.publish;

import io.imexagent.agent.probe.InventorySource;
import io.imexagent.core.policy.ServingPolicy;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the ResourceSlices of this node what its inventory says.
 *
 * <p>Level-triggered: a change of the inventory or of the slices, whoever made it, wakes one loop that plans and acts.
 * The watch can lag behind this publisher's own writes, so a plan over the watched state that wants to act is made
 * again over a live list before it does. The kubelet deletes a node's slices when it starts; they come back as soon as
 * the watch tells.
 */
public final class SlicePublisher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SlicePublisher.class);

    private final Slices slices;
    private final Nodes nodes;
    private final String nodeName;
    private final InventorySource inventory;
    private final Supplier<ServingPolicy> policy;
    private final PublicationObserver observer;
    private final Clock clock;
    private final Backoff backoff;
    private final Semaphore wake = new Semaphore(0);
    private final AtomicReference<List<ObservedSlice>> watched = new AtomicReference<>();
    private final AtomicReference<PublicationState> state =
            new AtomicReference<>(new PublicationState.Pending("the first inventory"));
    private final Thread thread;
    private Slices.@Nullable Watching watching;
    private Optional<Accepted> accepted = Optional.empty();

    /**
     * A publisher.
     *
     * @param slices the slices of this driver and node
     * @param nodes node objects, to find the owner of the slices
     * @param nodeName this node
     * @param inventory what the node has
     * @param policy how the node serves, asked at each plan
     * @param observer is told what happens
     * @param clock the clock
     * @param random random numbers in 0 … 1
     */
    public SlicePublisher(
            Slices slices,
            Nodes nodes,
            String nodeName,
            InventorySource inventory,
            Supplier<ServingPolicy> policy,
            PublicationObserver observer,
            Clock clock,
            DoubleSupplier random) {
        this.slices = slices;
        this.nodes = nodes;
        this.nodeName = nodeName;
        this.inventory = inventory;
        this.policy = policy;
        this.observer = observer;
        this.clock = clock;
        this.backoff = new Backoff(random);
        this.thread = Thread.ofVirtual().name("publish").unstarted(this::run);
    }

    /** Begins to publish. */
    public void start() {
        inventory.onChange(changed -> wake());
        thread.start();
    }

    /** Plans again now. Never blocks. */
    public void wake() {
        wake.release();
    }

    /** How far publication has come. Never blocks. */
    public PublicationState state() {
        return state.get();
    }

    /** Ends publication. Published slices stay: the kubelet removes them if no agent comes back. */
    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        try {
            Slices.NodeRef owner = owner();
            watching = slices.watch(owner, observed -> {
                watched.set(observed);
                wake();
            });
            Duration pause = Duration.ZERO;
            while (true) {
                if (pause.isZero()) {
                    wake.acquire();
                } else if (wake.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                    LOG.debug("publication woken during back-off");
                }
                wake.drainPermits();
                pause = reconcile(owner);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } finally {
            if (watching != null) {
                watching.close();
            }
        }
    }

    /** The node that owns the slices; a kubelet that has not registered it yet is waited for. */
    private Slices.NodeRef owner() throws InterruptedException {
        while (true) {
            try {
                Optional<Nodes.NodeObject> node = nodes.get(nodeName);
                if (node.isPresent()) {
                    backoff.succeeded();
                    state.set(new PublicationState.Pending("the list of this node's ResourceSlices"));
                    return new Slices.NodeRef(nodeName, node.get().uid());
                }
                state.set(new PublicationState.Pending("the kubelet to register node " + nodeName));
                Thread.sleep(backoff.after(notRegistered()));
            } catch (ApiException failure) {
                Thread.sleep(failed(failure));
            }
        }
    }

    private ApiFailure notRegistered() {
        return new ApiFailure(
                ApiFailure.Kind.NOT_FOUND,
                "node " + nodeName + " does not exist; check node.name where the kubelet runs with --hostname-override",
                Optional.empty());
    }

    /** Plans and acts once; the pause before the next try, zero where none is needed. */
    private Duration reconcile(Slices.NodeRef owner) throws InterruptedException {
        List<ObservedSlice> seen = watched.get();
        if (seen == null) {
            return Duration.ZERO;
        }
        DesiredPool desired = SlicePlanner.desired(inventory.current(), policy.get());
        try {
            if (!plan(desired, seen).isEmpty()) {
                act(owner, desired, plan(desired, slices.list(owner)));
            }
            backoff.succeeded();
            settle(desired);
            return Duration.ZERO;
        } catch (ApiException failure) {
            return failed(failure);
        }
    }

    private List<SliceAction> plan(DesiredPool desired, List<ObservedSlice> observed) {
        return SlicePlanner.plan(
                switch (desired) {
                    case DesiredPool.Publish publish ->
                        accepted.filter(stored -> stored.asked().equals(publish.devices()))
                                .<DesiredPool>map(stored -> new DesiredPool.Publish(publish.pool(), stored.stored()))
                                .orElse(publish);
                    case DesiredPool.Withdraw withdraw -> withdraw;
                    case DesiredPool.Keep keep -> keep;
                },
                observed);
    }

    private void act(Slices.NodeRef owner, DesiredPool desired, List<SliceAction> actions) throws ApiException {
        var stored = new ArrayList<Device>();
        var asked = new ArrayList<Device>();
        for (SliceAction action : actions) {
            switch (action) {
                case SliceAction.Create create -> {
                    asked.addAll(create.content().devices());
                    stored.addAll(
                            slices.create(owner, create.content()).content().devices());
                    told("create", create.content());
                }
                case SliceAction.Replace replace -> {
                    asked.addAll(replace.content().devices());
                    stored.addAll(slices.replace(owner, replace.observed(), replace.content())
                            .content()
                            .devices());
                    told("replace", replace.content());
                }
                case SliceAction.Delete delete -> {
                    slices.delete(delete.observed());
                    told("delete", delete.observed().content());
                }
            }
        }
        if (!asked.equals(stored)
                && desired instanceof DesiredPool.Publish publish
                && asked.equals(publish.devices())) {
            LOG.warn("the API server dropped fields of the published devices asked={} stored={}", asked, stored);
            accepted = Optional.of(new Accepted(asked, stored));
        }
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

    private void settle(DesiredPool desired) {
        switch (desired) {
            case DesiredPool.Withdraw withdraw -> state.set(new PublicationState.Withheld(withdraw.why()));
            case DesiredPool.Keep keep -> {
                if (!(state.get() instanceof PublicationState.Published)) {
                    state.set(new PublicationState.Withheld(keep.why()));
                }
            }
            case DesiredPool.Publish publish -> {
                int devices = publish.devices().size();
                if (!(state.get() instanceof PublicationState.Published before) || before.devices() != devices) {
                    state.set(new PublicationState.Published(devices, clock.instant()));
                }
            }
        }
    }

    private Duration failed(ApiException failure) {
        observer.failed(failure.failure());
        var since = state.get() instanceof PublicationState.Failing before ? before.since() : clock.instant();
        if (!(state.get() instanceof PublicationState.Failing before)
                || before.failure().kind() != failure.failure().kind()) {
            LOG.warn(
                    "publication failed kind={} reason=\"{}\"",
                    failure.failure().kind().label(),
                    failure.getMessage());
        }
        state.set(new PublicationState.Failing(failure.failure(), since));
        return backoff.after(failure.failure());
    }

    /** What the server made of the devices that it was asked to store: it drops fields whose gates are off. */
    private record Accepted(List<Device> asked, List<Device> stored) {}
}
