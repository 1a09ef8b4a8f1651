package io.imexagent.kubernetes.clique;

/**
 * What an {@code NVLinkClique} says.
 *
 * @param limit how many channels each node of the clique has, channel 0 included: the least of them; 0 while it is not known
 * @param table whose channels are which
 */
public record NvlinkClique(int limit, ChannelTable table) {}
