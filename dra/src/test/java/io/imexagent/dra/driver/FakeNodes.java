package io.imexagent.dra.driver;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Nodes;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/** Node objects in memory. */
public final class FakeNodes implements Nodes {

    private final Map<String, NodeObject> nodes = new HashMap<>();
    private final Queue<ApiFailure> failures = new ArrayDeque<>();
    private int gets;
    private int changes;

    public synchronized FakeNodes with(String name, String uid, Map<String, String> labels) {
        nodes.put(name, new NodeObject(name, uid, labels, List.of(), new NodeSoftware("", "", false)));
        return this;
    }

    /** A node, one of whose runtime's handlers has user namespaces, or none. */
    public synchronized FakeNodes with(String name, boolean userNamespaces) {
        nodes.put(name, new NodeObject(name, "uid", Map.of(), List.of(), new NodeSoftware("", "", userNamespaces)));
        return this;
    }

    /** The same node, which the cluster knows by these addresses and names. */
    public synchronized FakeNodes known(String name, List<String> addresses) {
        NodeObject node = Optional.ofNullable(nodes.get(name)).orElseThrow();
        nodes.put(name, new NodeObject(name, node.uid(), node.labels(), addresses, node.software()));
        return this;
    }

    /** Lets the next calls fail. */
    public synchronized void fail(ApiFailure failure, int times) {
        for (int i = 0; i < times; i++) {
            failures.add(failure);
        }
    }

    public synchronized Map<String, String> labels(String name) {
        return Optional.ofNullable(nodes.get(name)).map(NodeObject::labels).orElse(Map.of());
    }

    public synchronized int gets() {
        return gets;
    }

    public synchronized int changes() {
        return changes;
    }

    @Override
    public synchronized Optional<NodeObject> get(String name) throws ApiException {
        gets++;
        failIfAsked();
        return Optional.ofNullable(nodes.get(name));
    }

    @Override
    public synchronized void label(String name, String key, Optional<String> value) throws ApiException {
        failIfAsked();
        changes++;
        NodeObject node = Optional.ofNullable(nodes.get(name)).orElseThrow();
        var labels = new HashMap<>(node.labels());
        value.ifPresentOrElse(text -> labels.put(key, text), () -> labels.remove(key));
        nodes.put(name, new NodeObject(name, node.uid(), labels, node.addresses(), node.software()));
    }

    private void failIfAsked() throws ApiException {
        ApiFailure failure = failures.poll();
        if (failure != null) {
            throw new ApiException(failure);
        }
    }
}
