package io.imexagent.kubernetes.clique;

/**
 * What an {@code NVLinkClique} says. The limit is the least number of channels of its nodes, channel 0 included; 0 while it
 * is not known.
 */
public record NvlinkClique(int limit, ChannelTable table) {}
