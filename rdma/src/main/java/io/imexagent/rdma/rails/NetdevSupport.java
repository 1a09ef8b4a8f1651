package io.imexagent.rdma.rails;

/** Whether the node's container runtime can move a network interface into a container. */
public sealed interface NetdevSupport {

    /** It can, with this hook to set up ARP in the container's namespace. */
    record Supported(String hook) implements NetdevSupport {}

    /** It cannot, or that is not known, for this reason, with the runtime's name and the version that can. */
    record Unsupported(String reason) implements NetdevSupport {}
}
