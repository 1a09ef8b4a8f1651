package io.imexagent.rdma.rails;

/** Whether the node's container runtime can move a network interface into a container. */
public sealed interface NetdevSupport {

    /**
     * It can.
     *
     * @param hook the program that sets up ARP in the container's namespace
     */
    record Supported(String hook) implements NetdevSupport {}

    /**
     * It cannot, or that is not known.
     *
     * @param reason why, with the runtime's name and the version that can
     */
    record Unsupported(String reason) implements NetdevSupport {}
}
