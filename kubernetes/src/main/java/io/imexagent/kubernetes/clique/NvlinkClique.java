package io.imexagent.kubernetes.clique;

/** An {@code NVLinkClique}: the least number of channels of its nodes, with channel 0, or 0 while unknown. */
public record NvlinkClique(int limit, ChannelTable table) {}
