package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Nodes;
import java.util.Optional;

/** Node objects. */
final class HttpNodes implements Nodes {

    static final Decoder<NodeObject> NODE = new Decoder<>(
            WantedFields.ofObject("status.addresses[].type", "status.addresses[].address"), HttpNodes::node);

    private final Resource nodes;

    HttpNodes(Transport transport, RateLimiter limiter) {
        this.nodes = new Resource(transport, limiter, "Node", Resource.CORE, "nodes");
    }

    @Override
    public Optional<NodeObject> get(String name) throws ApiException {
        return nodes.get("", name, NODE);
    }

    /** Addresses that are names, such as {@code Hostname}, are left out. */
    private static NodeObject node(Fields node) throws UnreadableException {
        return new NodeObject(
                node.required("metadata.name"),
                node.required("metadata.uid"),
                node.map("metadata.labels"),
                node.each("status.addresses").stream()
                        .filter(address -> address.text("type").endsWith("IP"))
                        .map(address -> address.text("address"))
                        .toList());
    }

    @Override
    public void label(String name, String key, Optional<String> value) throws ApiException {
        ObjectNode patch = Json.object();
        ObjectNode labels = patch.putObject("metadata").putObject("labels");
        value.ifPresentOrElse(text -> labels.put(key, text), () -> labels.putNull(key));
        nodes.patch("", name, "", patch, Decoder.ANY);
    }
}
