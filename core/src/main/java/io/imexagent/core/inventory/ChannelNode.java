package io.imexagent.core.inventory;

/** The host's own device node of channel 0. Containers get a node of their own, so its absence is no error. */
public sealed interface ChannelNode {

    record AbsentNode() implements ChannelNode {}

    /** There is one, a character device, with permission bits from 0 to 0777. */
    record PresentNode(int major, int minor, int mode) implements ChannelNode {}

    /** Something stands there that is no character device, or it could not be looked at. */
    record UnusableNode(String detail) implements ChannelNode {}
}
