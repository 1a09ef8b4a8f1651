package io.imexagent.core.refusal;

import java.util.Locale;

/** Every reason for which a claim is refused, explained in docs/troubleshooting.md. The names are metric labels. */
public enum RefusalCode {
    BAD_REQUEST(Retry.NEVER),
    CLAIM_NOT_FOUND(Retry.NEVER),
    CLAIM_REPLACED(Retry.NEVER),
    CLAIM_UNREADABLE(Retry.NEVER),
    CLAIM_TOO_LARGE(Retry.NEVER),
    NOT_ALLOCATED(Retry.NEVER),
    API_UNAVAILABLE(Retry.WITHIN_CALL),
    NO_DEVICE(Retry.NEVER),
    SEVERAL_DEVICES(Retry.NEVER),
    CONFIG_INVALID(Retry.NEVER),
    CONFIG_MISSING(Retry.NEVER),
    CONFIG_MISMATCH(Retry.NEVER),
    DAEMON_DISABLED(Retry.NEVER),
    ALLOCATION_MODE(Retry.NEVER),
    DEVICE_NOT_PUBLISHED(Retry.NEVER),
    FOREIGN_POOL(Retry.NEVER),
    DOMAIN_DELETING(Retry.NEVER),
    CHANNEL_HELD(Retry.WITHIN_CALL),
    DOMAIN_NOT_FOUND(Retry.NEVER),
    CLIQUE_WITHOUT_TABLE(Retry.WITHIN_CALL),
    /** Other prepares of the node are ahead of this one in the queue for the clique's table. */
    CHANNEL_QUEUED(Retry.NEXT_CALL),
    CHANNELS_EXHAUSTED(Retry.NEXT_CALL),
    NAMESPACE_CHANNELS_EXHAUSTED(Retry.NEXT_CALL),
    /** Containers on the node use channels of a clique that the node has left. */
    CLIQUE_LEFT(Retry.NEXT_CALL),
    /** The channel is used in the clique for another ComputeDomain, or this one's pods use another than the table has. */
    CHANNEL_CONFLICT(Retry.NEXT_CALL),
    /** The node's clique, or the node's published holds, changed before the claim was prepared. */
    HOLD_LOST(Retry.WITHIN_CALL),
    NO_CLIQUE(Retry.NEVER),
    CLIQUE_CONFLICT(Retry.NEVER),
    /** The fabric is not ready, or NVML does not answer. */
    FABRIC_NOT_READY(Retry.WITHIN_CALL),
    NO_CHANNEL_MAJOR(Retry.WITHIN_CALL),
    IMEX_NOT_READY(Retry.WITHIN_CALL),
    /**
     * The pod has a user namespace of its own, and the host has no device node of the channel that its users may open.
     */
    USER_NAMESPACE(Retry.NEVER),
    RAILS_UNKNOWN(Retry.WITHIN_CALL),
    RAIL_NOT_OFFERED(Retry.WITHIN_CALL),
    RAIL_HELD(Retry.WITHIN_CALL),
    RAIL_RENUMBERED(Retry.NEXT_CALL),
    RDMA_NAMESPACES(Retry.NEVER),
    MANAGEMENT_NODES(Retry.NEVER),
    NETDEV_RUNTIME(Retry.NEVER),
    NETDEV_POD(Retry.NEVER),
    PREPARE_ABORTED(Retry.NEXT_CALL),
    CANCELLED(Retry.NEXT_CALL),
    STOPPING(Retry.NEXT_CALL),
    OVERLOADED(Retry.NEXT_CALL),
    CHECKPOINT_FULL(Retry.NEXT_CALL),
    EFFECT_FAILED(Retry.NEXT_CALL),
    FOREIGN_CLAIMS(Retry.NEXT_CALL),
    INTERNAL(Retry.NEXT_CALL);

    private final Retry retry;

    RefusalCode(Retry retry) {
        this.retry = retry;
    }

    public Retry retry() {
        return retry;
    }

    /** Whether only the API server shows that the reason is gone; for all others the node knows itself. */
    public boolean isFromCluster() {
        return this == API_UNAVAILABLE || this == CLIQUE_WITHOUT_TABLE || this == HOLD_LOST;
    }

    /** The code as a metric label, in lower-case words joined by underscores. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether trying again can help. */
    public enum Retry {
        /** Only after an object or the node has changed. */
        NEVER,
        /** Soon: the same call may wait for it, as long as the kubelet waits. */
        WITHIN_CALL,
        NEXT_CALL
    }
}
