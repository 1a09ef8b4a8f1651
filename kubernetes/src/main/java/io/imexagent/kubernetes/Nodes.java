package io.imexagent.kubernetes;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Node objects. Calls block: make them on a virtual thread. */
public interface Nodes {

    /** Reads a node; empty where the kubelet has not registered it yet. */
    Optional<NodeObject> get(String name) throws ApiException;

    /** Sets a label of the node, or removes it where the value is empty. Other labels stay. */
    void label(String name, String key, Optional<String> value) throws ApiException;

    /** A node, with the IP addresses under which the cluster knows it, as the kubelet reports them. */
    record NodeObject(String name, String uid, Map<String, String> labels, List<String> addresses) {

        public NodeObject {
            labels = Map.copyOf(labels);
            addresses = List.copyOf(addresses);
        }
    }
}
