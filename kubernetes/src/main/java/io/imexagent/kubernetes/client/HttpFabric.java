package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import io.imexagent.kubernetes.control.FabricControl;
import io.imexagent.kubernetes.control.WatchNews;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** NVLinkNodes and NVLinkCliques of the API server. */
final class HttpFabric implements FabricObjects, FabricControl {

    private final Transport transport;
    private final RateLimiter watches;
    private final Resource nodes;
    private final Resource cliques;
    private final Resource kubernetesNodes;

    /**
     * The objects of an API server.
     *
     * @param calls bounds the calls
     * @param watches bounds lists and watches
     */
    HttpFabric(Transport transport, RateLimiter calls, RateLimiter watches) {
        this.transport = transport;
        this.watches = watches;
        this.nodes = new Resource(transport, calls, "NVLinkNode", Resource.FABRIC, "nvlinknodes");
        this.cliques = new Resource(transport, calls, "NVLinkClique", Resource.FABRIC, "nvlinkcliques");
        this.kubernetesNodes = new Resource(transport, calls, "Node", Resource.CORE, "nodes");
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
    public Stored<NvlinkNode> replace(Stored<NvlinkNode> observed, NvlinkNode content) throws ApiException {
        return nodes.update("", observed.name(), FabricJson.replaced(observed, content), FabricJson.NODE);
    }

    @Override
    public void watch(String name, Consumer<Optional<Stored<NvlinkNode>>> listener) {
        Reflector<Stored<NvlinkNode>> reflector = transport.reflector(
                watches, nodes.selected("NVLinkNode " + name, "metadata.name=" + name, FabricJson.NODE));
        reflector.start(news -> listener.accept(reflector.all().stream().findFirst()));
    }

    /** Watches all nodes and all tables. */
    void watch(Consumer<WatchNews<Stored<NvlinkNode>>> ofNodes, Consumer<WatchNews<Stored<NvlinkClique>>> ofCliques) {
        transport.reflector(watches, nodes.everywhere(FabricJson.NODE)).start(ofNodes);
        transport.reflector(watches, cliques.everywhere(FabricJson.CLIQUE)).start(ofCliques);
    }

    @Override
    public List<Stored<NvlinkNode>> nodesOf(CliqueId clique) throws ApiException {
        Collection<Stored<NvlinkNode>> holders =
                nodes.labelled("NVLinkNodes of clique " + clique, FabricObjects.label(clique), FabricJson.NODE);
        Collection.Listed<Stored<NvlinkNode>> listed = nodes.list(holders);
        if (listed.unread().objects().count() > 0) {
            throw new ApiException(ApiFailures.unread(holders.target().object(), listed.unread()));
        }
        return listed.all();
    }

    @Override
    public Optional<Stored<NvlinkClique>> clique(CliqueId id) throws ApiException {
        return cliques.get("", id.text(), FabricJson.CLIQUE);
    }

    @Override
    public Stored<NvlinkClique> create(CliqueId id, NvlinkClique content) throws ApiException {
        return cliques.create("", id.text(), FabricJson.created(id, content), FabricJson.CLIQUE);
    }

    @Override
    public Stored<NvlinkClique> replace(Stored<NvlinkClique> observed, NvlinkClique content) throws ApiException {
        return cliques.update("", observed.name(), FabricJson.replaced(observed, content), FabricJson.CLIQUE);
    }

    @Override
    public void deleteClique(Stored<NvlinkClique> observed) throws ApiException {
        delete(cliques, observed, FabricJson.CLIQUE);
    }

    @Override
    public void deleteNode(Stored<NvlinkNode> observed) throws ApiException {
        delete(nodes, observed, FabricJson.NODE);
    }

    private static <T> void delete(Resource resource, Stored<T> observed, Decoder<Stored<T>> decoder)
            throws ApiException {
        Optional<Stored<T>> held = observed.deleting()
                ? Optional.of(observed)
                : resource.delete("", observed.name(), FabricJson.preconditions(observed), decoder);
        if (held.isPresent()) {
            ObjectNode patch = FabricJson.withoutFinalizers(held.get());
            resource.patch("", observed.name(), "", patch, Decoder.ANY);
        }
    }

    @Override
    public Map<String, Boolean> kubernetesNodes() throws ApiException {
        return kubernetesNodes.list(kubernetesNodes.everywhere(NodeJson.READINESS)).all().stream()
                .collect(Collectors.toMap(NodeJson.Readiness::name, NodeJson.Readiness::ready, (one, later) -> later));
    }

    @Override
    public boolean nodeExists(String name) throws ApiException {
        return kubernetesNodes.get("", name, Decoder.ANY).isPresent();
    }
}
