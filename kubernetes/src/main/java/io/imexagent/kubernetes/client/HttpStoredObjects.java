package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.JsonTrees;
import io.imexagent.kubernetes.clique.Stored;
import io.imexagent.kubernetes.clique.StoredObjects;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Objects of one kind in one namespace.
 *
 * @param written makes an object of its metadata and its content
 */
record HttpStoredObjects<T>(
        Resource<Stored<T>> resource, String namespace, BiFunction<ObjectNode, T, ObjectNode> written)
        implements StoredObjects<T> {

    @Override
    public Optional<Stored<T>> get(String name) throws ApiException {
        return resource.get(namespace, name);
    }

    @Override
    public Stored<T> create(String name, T content) throws ApiException {
        return resource.create(namespace, name, written.apply(Resource.named(namespace, name), content));
    }

    @Override
    public Stored<T> replace(Stored<T> observed, T content) throws ApiException {
        return resource.update(namespace, observed.name(), written.apply(Resource.metadata(observed.ref()), content));
    }

    @Override
    public void delete(Stored<T> observed) throws ApiException {
        Optional<Stored<T>> held = observed.deleting() ? Optional.of(observed) : resource.delete(observed.ref());
        if (held.isPresent()) {
            ObjectNode patch = JsonTrees.object();
            patch.putObject("metadata").putArray("finalizers");
            resource.presence().patch(held.get().ref(), "", patch);
        }
    }
}
