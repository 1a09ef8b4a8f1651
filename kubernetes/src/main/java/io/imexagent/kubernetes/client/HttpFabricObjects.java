package io.imexagent.kubernetes.client;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.util.Optional;

/** NVLinkNodes and NVLinkCliques of the API server. */
final class HttpFabricObjects implements FabricObjects {

    private final Resource nodes;
    private final Resource cliques;

    HttpFabricObjects(Transport transport, RateLimiter limiter) {
        this.nodes = new Resource(transport, limiter, "NVLinkNode", Resource.FABRIC, "nvlinknodes");
        this.cliques = new Resource(transport, limiter, "NVLinkClique", Resource.FABRIC, "nvlinkcliques");
    }

    @Override
    public Optional<Stored<NvlinkNode>> node(String name) throws ApiException {
        return nodes.get("", name, FabricJson.NODE);
    }

    @Override
    public Stored<NvlinkNode> create(String name, NvlinkNode content) throws ApiException {
        return nodes.create("", name, FabricJson.created(name, content), FabricJson.NODE);
    }

    @Override
    public Stored<NvlinkNode> replace(String name, Stored<NvlinkNode> observed, NvlinkNode content)
            throws ApiException {
        return nodes.update("", name, FabricJson.replaced(name, observed, content), FabricJson.NODE);
    }

    @Override
    public Optional<Stored<NvlinkClique>> clique(CliqueId id) throws ApiException {
        return cliques.get("", id.text(), FabricJson.CLIQUE);
    }

    @Override
    public Stored<NvlinkClique> replace(CliqueId id, Stored<NvlinkClique> observed, NvlinkClique content)
            throws ApiException {
        return cliques.update("", id.text(), FabricJson.replaced(id, observed, content), FabricJson.CLIQUE);
    }
}
