package io.imexagent.kubernetes.clique;

import java.util.Optional;

/**
 * An {@code NVLinkClique}: the smallest number of channels that a node has, channel 0 included, or 0 while unknown; the
 * first node by name with that number, empty also if the cluster's definition is an older one; and the table.
 */
public record NvlinkClique(int limit, Optional<String> limitedBy, ChannelTable table) {

    /** Returns a copy with another table. */
    public NvlinkClique with(ChannelTable other) {
        return new NvlinkClique(limit, limitedBy, other);
    }
}
