package io.imexagent.kubernetes;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Node objects. Calls block: make them on a virtual thread. */
public interface Nodes {

    /** Reads a node; empty if the kubelet has not registered it yet. */
    Optional<NodeObject> get(String name) throws ApiException;

    /** Sets a label of the node, or removes it if the value is empty. Other labels stay. */
    void label(String name, String key, Optional<String> value) throws ApiException;

    /** A node with its addresses and names in the cluster and its software, as the kubelet reports them. */
    record NodeObject(
            String name, String uid, Map<String, String> labels, List<String> addresses, NodeSoftware software) {

        public NodeObject {
            labels = Map.copyOf(labels);
            addresses = List.copyOf(addresses);
        }
    }

    /**
     * The versions of kubelet and container runtime in {@code status.nodeInfo} ({@code v1.34.2}, {@code
     * containerd://2.1.4}), empty texts if the kubelet does not report them; and whether one of the runtime's handlers
     * supports user namespaces ({@code status.runtimeHandlers}): without them a kubelet starts no pod with {@code
     * hostUsers: false}.
     */
    record NodeSoftware(String kubelet, String runtime, boolean userNamespaces) {}
}
