package io.imexagent.kubernetes.clique;

import java.util.Optional;

/**
 * An {@code NVLinkClique}: the least number of channels of its nodes, with channel 0, or 0 while unknown, and the first
 * node by name that has no more; empty also where the cluster's definition is an older one.
 */
public record NvlinkClique(int limit, Optional<String> limitedBy, ChannelTable table) {

    /** A clique of which it is unknown which node limits it. */
    public NvlinkClique(int limit, ChannelTable table) {
        this(limit, Optional.empty(), table);
    }

    /** The same with another table. */
    public NvlinkClique with(ChannelTable other) {
        return new NvlinkClique(limit, limitedBy, other);
    }
}
