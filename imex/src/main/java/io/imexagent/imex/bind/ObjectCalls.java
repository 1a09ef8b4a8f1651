package io.imexagent.imex.bind;

import io.imexagent.core.retry.Backoff;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NodeDefinition;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the calls on the node's object that {@link HoldState} decides on, and keeps their last outcomes. One thread
 * makes the calls; the lock of the {@link HoldWriter} guards the state, the pace and the fields of this class.
 */
final class ObjectCalls {

    static final Backoff AWAY = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofMinutes(5));

    private static final Logger LOG = LoggerFactory.getLogger(ObjectCalls.class);

    private final FabricObjects fabric;
    private final String node;
    private final Object lock;
    private final StatusPace pace;
    private final LongSupplier nanoTime;
    private final DoubleSupplier random;
    private final Runnable onChange;
    private boolean watching;

    // Guarded by the lock.
    private int failuresInARow;
    private long failures;
    private Optional<ApiFailure> failure = Optional.empty();

    /**
     * Creates the calls before the first one; {@code onChange} is called when the object was changed in the cluster,
     * and must not block.
     */
    ObjectCalls(
            FabricObjects fabric,
            String node,
            Object lock,
            StatusPace pace,
            LongSupplier nanoTime,
            DoubleSupplier random,
            Runnable onChange) {
        this.fabric = fabric;
        this.node = node;
        this.lock = lock;
        this.pace = pace;
        this.nanoTime = nanoTime;
        this.random = random;
        this.onChange = onChange;
    }

    /** The reason why the last call failed; empty if it succeeded. */
    Optional<ApiFailure> failure() {
        synchronized (lock) {
            return failure;
        }
    }

    /** The number of calls that have failed. */
    long failures() {
        synchronized (lock) {
            return failures;
        }
    }

    /** Whether the last call failed, or another process's write preceded it. */
    boolean failing() {
        synchronized (lock) {
            return failuresInARow > 0;
        }
    }

    /** Makes the call, and returns the pause before the next. Blocking. */
    Duration make(HoldState.DueCall due, HoldState state) throws ApiException {
        return switch (due) {
            case HoldState.DueCall.ReadHolds _ -> {
                Optional<Stored<NvlinkNode>> found = fabric.nodes().get(node);
                synchronized (lock) {
                    state.read(found);
                }
                yield Duration.ZERO;
            }
            case HoldState.DueCall.CreateHolds(NvlinkNode content) ->
                write(state, content, () -> fabric.nodes().create(node, content), ApiFailure.FailureKind.CONFLICT);
            case HoldState.DueCall.ReplaceHolds(Stored<NvlinkNode> observed, NvlinkNode content) ->
                write(
                        state,
                        content,
                        () -> fabric.nodes().replace(observed, content),
                        ApiFailure.FailureKind.NOT_FOUND);
        };
    }

    /** Makes the write. If another process changed the object first, it is read again; this is not a failure. */
    private Duration write(
            HoldState state,
            NvlinkNode content,
            HoldWriter.ApiCall<Stored<NvlinkNode>> write,
            ApiFailure.FailureKind overtaken)
            throws ApiException {
        synchronized (lock) {
            state.started(content);
        }
        try {
            Stored<NvlinkNode> stored = write.make();
            NodeDefinition definition = definition(content, stored.content());
            synchronized (lock) {
                pace.fit(definition, state);
                state.written(stored);
                pace.written(nanoTime.getAsLong());
                succeeded();
            }
            watch(state);
            return Duration.ZERO;
        } catch (ApiException e) {
            ApiFailure.FailureKind kind = e.failure().kind();
            synchronized (lock) {
                if (kind != ApiFailure.FailureKind.CONFLICT && kind != overtaken) {
                    state.lost();
                    throw e;
                }
                state.refused();
                return AWAY.after(++failuresInARow, random);
            }
        } catch (RuntimeException | Error defect) {
            synchronized (lock) {
                state.lost();
            }
            throw defect;
        }
    }

    /**
     * The definition of the object, derived from the fields that the server dropped; fails if it dropped more than any
     * definition of ours.
     */
    private NodeDefinition definition(NvlinkNode written, NvlinkNode stored) throws ApiException {
        NodeDefinition definition = NodeDefinition.of(written, stored)
                .orElseThrow(() -> new ApiException(new ApiFailure(
                        ApiFailure.FailureKind.INVALID,
                        "the API server dropped fields of NVLinkNode " + node
                                + ": its CustomResourceDefinition is an older one; apply what imex-agent manifests prints",
                        Optional.empty())));
        if (definition != NodeDefinition.CURRENT) {
            LOG.warn(
                    "the API server drops {} of NVLinkNodes, so the controller cannot tell {}"
                            + " remedy=\"apply what imex-agent manifests prints, then restart the agent\"",
                    definition.dropped(),
                    definition.unknown());
        }
        return definition;
    }

    /** Starts the watch, after the first write only: in a cluster without the kind it would fail repeatedly. */
    private void watch(HoldState state) {
        if (watching) {
            return;
        }
        watching = true;
        long kept;
        synchronized (lock) {
            kept = state.kept();
        }
        if (kept > 0) {
            LOG.warn(
                    "ComputeDomains stay held until the node boots again, since no checkpoint tells who uses their"
                            + " channels count={} remedy=\"end their pods on this node and reboot it; or, where none of"
                            + " their containers runs, stop the agent, take them out of spec.holds (kubectl edit"
                            + " nvlinknode {}), and start the agent\"",
                    kept,
                    node);
        }
        fabric.watch(node, object -> {
            synchronized (lock) {
                state.observed(object);
            }
            onChange.run();
        });
    }

    /** Records that the object is up to date, possibly by the call just made. */
    void succeeded() {
        synchronized (lock) {
            if (failure.isPresent()) {
                LOG.info("NVLinkNode written again node={}", node);
            }
            failuresInARow = 0;
            failure = Optional.empty();
        }
    }

    /** Records a failed call. Returns the pause before the next try. */
    Duration failed(ApiFailure why) {
        synchronized (lock) {
            if (!failure.map(ApiFailure::kind).equals(Optional.of(why.kind()))) {
                LOG.warn(
                        "NVLinkNode not written, trying again node={} kind={} error=\"{}\"",
                        node,
                        why.kind().label(),
                        why.message());
            }
            failure = Optional.of(why);
            failures++;
            return AWAY.after(++failuresInARow, why.retryAfter(), random);
        }
    }
}
