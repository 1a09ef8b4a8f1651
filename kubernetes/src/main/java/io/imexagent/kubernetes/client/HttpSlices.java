package io.imexagent.kubernetes.client;

import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Slices;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The ResourceSlices of one driver on one node, by field selectors; a node's identity may see no others. */
final class HttpSlices implements Slices {

    private final Transport transport;
    private final RateLimiter limiter;
    private final String driver;
    private final String nodeName;

    HttpSlices(Transport transport, RateLimiter limiter, String driver, String nodeName) {
        this.transport = transport;
        this.limiter = limiter;
        this.driver = driver;
        this.nodeName = nodeName;
    }

    private Resource<ObservedSlice> slices(NodeRef owner) {
        return new Resource<>(transport, limiter, Resource.DRA, "ResourceSlice", SliceJson.decoder(owner));
    }

    private Collection<ObservedSlice> collection(NodeRef owner) {
        return slices(owner)
                .selected("ResourceSlices of node " + nodeName, "spec.nodeName=" + nodeName + ",spec.driver=" + driver);
    }

    @Override
    public List<ObservedSlice> list(NodeRef owner) throws ApiException {
        // One that is there and cannot be read would be made once more; so that is a failure.
        return collection(owner).all();
    }

    @Override
    public ObservedSlice create(NodeRef owner, int index, PoolSlice content) throws ApiException {
        return slices(owner)
                .called("ResourceSlice of node " + nodeName)
                .create("", "", SliceJson.created(driver, owner, content, index));
    }

    @Override
    public ObservedSlice replace(NodeRef owner, ObservedSlice observed, PoolSlice content) throws ApiException {
        try {
            return slices(owner).update("", observed.name(), SliceJson.replaced(driver, owner, observed, content));
        } catch (ApiException e) {
            if (gone(e, observed)) {
                throw new ApiException(
                        new ApiFailure(ApiFailure.Kind.NOT_FOUND, e.failure().message(), Optional.empty()), e);
            }
            throw e;
        }
    }

    @Override
    public void delete(ObservedSlice observed) throws ApiException {
        try {
            slices(new NodeRef(nodeName, "")).delete("", observed.name());
        } catch (ApiException e) {
            if (!gone(e, observed)) {
                throw e;
            }
        }
    }

    /**
     * Whether a slice is gone. The Node authorizer refuses writes to it in the same words as those to a slice so new that
     * it has not seen it yet; a list, which the node may read, tells them apart.
     */
    private boolean gone(ApiException refusal, ObservedSlice observed) throws ApiException {
        return refusal.failure().kind() == ApiFailure.Kind.NO_RELATIONSHIP
                && list(new NodeRef(nodeName, "")).stream()
                        .noneMatch(slice -> slice.name().equals(observed.name()));
    }

    @Override
    public Watching watch(NodeRef owner, Consumer<List<ObservedSlice>> listener) {
        Reflector<ObservedSlice> reflector = transport.reflector(collection(owner));
        reflector.start(news -> listener.accept(reflector.all()));
        return reflector::close;
    }
}
