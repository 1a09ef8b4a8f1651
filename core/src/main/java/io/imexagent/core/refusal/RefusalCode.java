package io.imexagent.core.refusal;

import java.util.Locale;

/** Every reason for which a claim is refused. The names are metric labels. */
public enum RefusalCode {
    /** The kubelet's request does not name a claim. */
    BAD_REQUEST(Retry.NEVER),
    /** The claim does not exist. */
    CLAIM_NOT_FOUND(Retry.NEVER),
    /** Another claim has taken the name. */
    CLAIM_REPLACED(Retry.NEVER),
    /** The claim's object could not be understood. */
    CLAIM_UNREADABLE(Retry.NEVER),
    /** The claim's status is larger than the node keeps. */
    CLAIM_TOO_LARGE(Retry.NEVER),
    /** The scheduler has not allocated the claim. */
    NOT_ALLOCATED(Retry.NEVER),
    /** The API server did not give the claim or the ComputeDomain. */
    API_UNAVAILABLE(Retry.WITHIN_CALL),
    /** No device of this driver is allocated to the claim. */
    NO_DEVICE(Retry.NEVER),
    /** More than one device is allocated to the configuration. */
    SEVERAL_DEVICES(Retry.NEVER),
    /** The opaque configuration could not be decoded. */
    CONFIG_INVALID(Retry.NEVER),
    /** No configuration of this driver is for the device. */
    CONFIG_MISSING(Retry.NEVER),
    /** The configuration is for another kind of device. */
    CONFIG_MISMATCH(Retry.NEVER),
    /** Daemon claims are disabled under HostManagedIMEX. */
    DAEMON_DISABLED(Retry.NEVER),
    /** The allocation mode is not Single. */
    ALLOCATION_MODE(Retry.NEVER),
    /** The device is not one that this node publishes. */
    DEVICE_NOT_PUBLISHED(Retry.NEVER),
    /** The pool is not this node's. */
    FOREIGN_POOL(Retry.NEVER),
    /** The claim's ComputeDomain is being deleted. */
    DOMAIN_DELETING(Retry.NEVER),
    /** Another claim holds the channel. */
    CHANNEL_HELD(Retry.WITHIN_CALL),
    /** No ComputeDomain of the claim's namespace has the UID. */
    DOMAIN_NOT_FOUND(Retry.NEVER),
    /** The clique has no table of its channels yet. */
    CLIQUE_WITHOUT_TABLE(Retry.WITHIN_CALL),
    /** All channels of the clique have an owner. */
    CHANNELS_EXHAUSTED(Retry.NEXT_CALL),
    /** The namespace has as many channels of the clique as it may. */
    NAMESPACE_CHANNELS_EXHAUSTED(Retry.NEXT_CALL),
    /** Containers on the node use channels of a clique that the node has left. */
    CLIQUE_LEFT(Retry.NEXT_CALL),
    /** The node's clique, or what the node says that it holds, changed before the claim was prepared. */
    HOLD_LOST(Retry.WITHIN_CALL),
    /** The node has no NVLink clique. */
    NO_CLIQUE(Retry.NEVER),
    /** The GPUs of the node report different cliques. */
    CLIQUE_CONFLICT(Retry.NEVER),
    /** The fabric is not ready, or NVML does not answer. */
    FABRIC_NOT_READY(Retry.WITHIN_CALL),
    /** The kernel has no device major for IMEX channels. */
    NO_CHANNEL_MAJOR(Retry.WITHIN_CALL),
    /** nvidia-imex is not ready, and prepare waits for it. */
    IMEX_NOT_READY(Retry.WITHIN_CALL),
    /** The RDMA side of the node has not been read yet. */
    RAILS_UNKNOWN(Retry.WITHIN_CALL),
    /** The node does not offer the RDMA NIC at present. */
    RAIL_NOT_OFFERED(Retry.WITHIN_CALL),
    /** Another claim holds the RDMA NIC. */
    RAIL_HELD(Retry.WITHIN_CALL),
    /** The RDMA NIC's device node is another one than a moment ago. */
    RAIL_RENUMBERED(Retry.NEXT_CALL),
    /** Network namespaces of the node do not share RDMA devices. */
    RDMA_NAMESPACES(Retry.NEVER),
    /** A user asks for nodes that only an administrator can grant. */
    MANAGEMENT_NODES(Retry.NEVER),
    /** The container runtime cannot move network interfaces. */
    NETDEV_RUNTIME(Retry.NEVER),
    /** The pod is not one that a network interface can be moved into. */
    NETDEV_POD(Retry.NEVER),
    /** This version of the claim was unprepared a moment ago. */
    PREPARE_ABORTED(Retry.NEXT_CALL),
    /** An unprepare of the claim arrived while its prepare waited. */
    CANCELLED(Retry.NEXT_CALL),
    /** The agent is stopping. */
    STOPPING(Retry.NEXT_CALL),
    /** Too many claims wait. */
    OVERLOADED(Retry.NEXT_CALL),
    /** The checkpoint has no room for a further claim. */
    CHECKPOINT_FULL(Retry.NEXT_CALL),
    /** A file could not be written. */
    EFFECT_FAILED(Retry.NEXT_CALL),
    /** Another process has saved claims of another mode in the checkpoint. */
    FOREIGN_CLAIMS(Retry.NEXT_CALL),
    /** A defect of the agent. */
    INTERNAL(Retry.NEXT_CALL);

    private final Retry retry;

    RefusalCode(Retry retry) {
        this.retry = retry;
    }

    /** Whether trying again can help. */
    public Retry retry() {
        return retry;
    }

    /** Whether only the API server can tell that the reason is gone; of all others the node itself knows. */
    public boolean toldByCluster() {
        return this == API_UNAVAILABLE || this == CLIQUE_WITHOUT_TABLE || this == HOLD_LOST;
    }

    /** The code as a metric label, in lower-case words joined by underscores. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether trying again can help. */
    public enum Retry {
        /** Not until somebody changes an object or the node. */
        NEVER,
        /** In moments: the same call may wait for it, as long as the kubelet waits. */
        WITHIN_CALL,
        /** Later, when the kubelet calls again. */
        NEXT_CALL
    }
}
