package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Slices;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/** The ResourceSlices of one driver on one node, by field selectors; a node's identity may see no others. */
final class HttpSlices implements Slices, AutoCloseable {

    private static final String PATH = "/apis/resource.k8s.io/v1/resourceslices";
    private static final String JSON = "application/json";

    private final Transport transport;
    private final RateLimiter limiter;
    private final DoubleSupplier random;
    private final String driver;
    private final String nodeName;
    private final List<Reflector<ObservedSlice>> reflectors = new CopyOnWriteArrayList<>();

    HttpSlices(Transport transport, RateLimiter limiter, DoubleSupplier random, String driver, String nodeName) {
        this.transport = transport;
        this.limiter = limiter;
        this.random = random;
        this.driver = driver;
        this.nodeName = nodeName;
    }

    @Override
    public List<ObservedSlice> list(NodeRef owner) throws ApiException {
        return List.copyOf(
                Lister.list(transport, limiter, collection(owner)).objects().values());
    }

    @Override
    public ObservedSlice create(NodeRef owner, int index, PoolSlice content) throws ApiException {
        var body = new Call.Body(JSON, SliceJson.created(driver, owner, content, index));
        return stored(owner, Call.of(Call.Verb.CREATE, target("ResourceSlice of node " + nodeName, ""), PATH, body));
    }

    @Override
    public ObservedSlice replace(NodeRef owner, ObservedSlice observed, PoolSlice content) throws ApiException {
        var body = new Call.Body(JSON, SliceJson.replaced(driver, owner, observed, content));
        try {
            return stored(owner, Call.of(Call.Verb.UPDATE, target(observed), path(observed), body));
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
            // Empty where it is gone already, which is as good.
            transport.find(Call.of(Call.Verb.DELETE, target(observed), path(observed)), limiter);
        } catch (ApiException e) {
            if (!gone(e, observed)) {
                throw e;
            }
        }
    }

    /**
     * Whether a slice is gone. A node's identity is told so in the words of the Node authorizer, which has the same ones
     * for a slice so new that the authorizer has not seen it yet; a list, which the node may read, tells them apart.
     */
    private boolean gone(ApiException refusal, ObservedSlice observed) throws ApiException {
        return refusal.failure().kind() == ApiFailure.Kind.NO_RELATIONSHIP
                && list(new NodeRef(nodeName, "")).stream()
                        .noneMatch(slice -> slice.name().equals(observed.name()));
    }

    @Override
    public Watching watch(NodeRef owner, Consumer<List<ObservedSlice>> listener) {
        var source = new AtomicReference<Reflector<ObservedSlice>>();
        var reflector = new Reflector<>(
                transport,
                limiter,
                collection(owner),
                () -> listener.accept(source.get().all()),
                random);
        source.set(reflector);
        reflectors.add(reflector);
        reflector.start();
        return () -> {
            reflector.close();
            reflectors.remove(reflector);
        };
    }

    private ObservedSlice stored(NodeRef owner, Call call) throws ApiException {
        Answer.Done answer = transport.call(call, limiter);
        try {
            return SliceJson.observed(Json.tree(answer.body()), owner);
        } catch (IOException e) {
            throw new ApiException(ApiFailures.unreadable(call, answer.server(), e), e);
        }
    }

    private Collection<ObservedSlice> collection(NodeRef owner) {
        return new Collection<>(
                target("ResourceSlices of node " + nodeName, ""),
                PATH,
                Optional.of("spec.nodeName=" + nodeName + ",spec.driver=" + driver),
                (JsonNode object) -> SliceJson.observed(object, owner));
    }

    private static Call.Target target(ObservedSlice observed) {
        return target("ResourceSlice " + observed.name(), observed.name());
    }

    private static Call.Target target(String object, String name) {
        return new Call.Target("resource.k8s.io", "resourceslices", object, name);
    }

    private static String path(ObservedSlice observed) {
        return PATH + "/" + Collection.encoded(observed.name());
    }

    @Override
    public void close() {
        reflectors.forEach(Reflector::close);
        reflectors.clear();
    }
}
