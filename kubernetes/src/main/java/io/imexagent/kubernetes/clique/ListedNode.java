package io.imexagent.kubernetes.clique;

/**
 * A Node of the cluster: whether its kubelet recently reported it as ready, and the value of the label that the caller names,
 * as whoever may write Nodes has it; empty where it has none.
 */
public record ListedNode(boolean ready, String label) {}
