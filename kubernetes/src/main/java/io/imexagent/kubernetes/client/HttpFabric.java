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
import io.imexagent.kubernetes.json.JsonTrees;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** NVLinkNodes and NVLinkCliques of the API server. */
final class HttpFabric implements FabricObjects, FabricControl {

    private final Transport transport;
    private final RateLimiter watches;
    private final Resource<Stored<NvlinkNode>> nodes;
    private final Resource<Stored<NvlinkClique>> cliques;
    private final Resource<NodeJson.Readiness> kubernetesNodes;

    /**
     * The objects of an API server.
     *
     * @param calls bounds the calls
     * @param watches bounds lists and watches
     */
    HttpFabric(Transport transport, RateLimiter calls, RateLimiter watches) {
        this.transport = transport;
        this.watches = watches;
        this.nodes = new Resource<>(transport, calls, Resource.FABRIC, "NVLinkNode", FabricJson.NODE);
        this.cliques = new Resource<>(transport, calls, Resource.FABRIC, "NVLinkClique", FabricJson.CLIQUE);
        this.kubernetesNodes = new Resource<>(transport, calls, Resource.CORE, "Node", NodeJson.READINESS);
    }

    @Override
    public Optional<Stored<NvlinkNode>> node(String name) throws ApiException {
        return nodes.get("", name);
    }

    @Override
    public Stored<NvlinkNode> create(String name, NvlinkNode content) throws ApiException {
        return nodes.create("", name, FabricJson.written(Resource.named("", name), content));
    }

    @Override
    public Stored<NvlinkNode> replace(Stored<NvlinkNode> observed, NvlinkNode content) throws ApiException {
        return nodes.update("", observed.name(), FabricJson.written(Resource.metadata(observed.ref()), content));
    }

    @Override
    public void watch(String name, Consumer<Optional<Stored<NvlinkNode>>> listener) {
        Reflector<Stored<NvlinkNode>> reflector =
                transport.reflector(nodes.under(watches).selected("NVLinkNode " + name, "metadata.name=" + name));
        reflector.start(news -> listener.accept(reflector.all().stream().findFirst()));
    }

    void watch(Consumer<WatchNews<Stored<NvlinkNode>>> ofNodes, Consumer<WatchNews<Stored<NvlinkClique>>> ofCliques) {
        transport.reflector(nodes.under(watches).everywhere()).start(ofNodes);
        transport.reflector(cliques.under(watches).everywhere()).start(ofCliques);
    }

    @Override
    public List<Stored<NvlinkNode>> nodesOf(CliqueId clique) throws ApiException {
        return nodes.labelled("NVLinkNodes of clique " + clique, FabricObjects.label(clique))
                .all();
    }

    @Override
    public Optional<Stored<NvlinkClique>> clique(CliqueId id) throws ApiException {
        return cliques.get("", id.text());
    }

    @Override
    public Stored<NvlinkClique> create(CliqueId id, NvlinkClique content) throws ApiException {
        return cliques.create("", id.text(), FabricJson.written(Resource.named("", id.text()), content));
    }

    @Override
    public Stored<NvlinkClique> replace(Stored<NvlinkClique> observed, NvlinkClique content) throws ApiException {
        return cliques.update("", observed.name(), FabricJson.written(Resource.metadata(observed.ref()), content));
    }

    @Override
    public void deleteClique(Stored<NvlinkClique> observed) throws ApiException {
        delete(cliques, observed);
    }

    @Override
    public void deleteNode(Stored<NvlinkNode> observed) throws ApiException {
        delete(nodes, observed);
    }

    private static <T> void delete(Resource<Stored<T>> resource, Stored<T> observed) throws ApiException {
        Optional<Stored<T>> held = observed.deleting() ? Optional.of(observed) : resource.delete(observed.ref());
        if (held.isPresent()) {
            ObjectNode patch = JsonTrees.object();
            patch.putObject("metadata").putArray("finalizers");
            resource.presence().patch(held.get().ref(), "", patch);
        }
    }

    @Override
    public Map<String, Boolean> kubernetesNodes() throws ApiException {
        return kubernetesNodes.everywhere().list().objects().all().stream()
                .collect(Collectors.toMap(NodeJson.Readiness::name, NodeJson.Readiness::ready, (one, later) -> later));
    }

    @Override
    public boolean nodeExists(String name) throws ApiException {
        return kubernetesNodes.presence().get("", name).isPresent();
    }
}
