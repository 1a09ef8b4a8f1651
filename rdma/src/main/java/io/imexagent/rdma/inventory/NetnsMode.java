package io.imexagent.rdma.inventory;

/** Whether network namespaces share RDMA devices, {@code netns_mode} of ib_core. */
public sealed interface NetnsMode {

    /** A device is seen in every namespace; the kernel's default. */
    record Shared() implements NetnsMode {}

    /** A device is seen in one namespace only, and a container without it in its own sees none. */
    record Exclusive() implements NetnsMode {}

    /**
     * The kernel did not tell.
     *
     * @param reason why, as a clause
     */
    record Unknown(String reason) implements NetnsMode {}

    /** The mode in a word. */
    default String text() {
        return switch (this) {
            case Shared shared -> "shared";
            case Exclusive exclusive -> "exclusive";
            case Unknown unknown -> "not told";
        };
    }
}
