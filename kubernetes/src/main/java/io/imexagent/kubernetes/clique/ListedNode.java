package io.imexagent.kubernetes.clique;

/**
 * A Node of the cluster: whether its kubelet recently reported it as ready, and the value of the label that the caller
 * names, as written by any user who may write Nodes; empty if it has none.
 */
public record ListedNode(boolean ready, String label) {}
