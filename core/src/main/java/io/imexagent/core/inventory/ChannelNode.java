package io.imexagent.core.inventory;

/** The host's own device node of channel 0. Containers get a node of their own, so its absence is no error. */
public sealed interface ChannelNode {

    record AbsentNode() implements ChannelNode {}

    /** The node exists and is a character device; its permission bits are 0 to 0777. */
    record PresentNode(int major, int minor, int mode) implements ChannelNode {}

    /** The path is not a character device, or could not be read. */
    record UnusableNode(String detail) implements ChannelNode {}
}
