package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ComputeDomains;
import java.io.IOException;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/** ComputeDomains: a reflector over all namespaces, and live lists that need not wait for the watch's pace. */
final class HttpComputeDomains implements ComputeDomains, AutoCloseable {

    private static final String GROUP = "resource.nvidia.com";
    private static final String PLURAL = "computedomains";
    private static final String ROOT = "/apis/" + GROUP + "/v1beta1/";

    private final Transport transport;
    private final RateLimiter live;
    private final Reflector<DomainRef> reflector;

    /** Begins to watch. */
    HttpComputeDomains(Transport transport, RateLimiter live, RateLimiter background, DoubleSupplier random) {
        this.transport = transport;
        this.live = live;
        this.reflector = new Reflector<>(transport, background, everywhere(), () -> {}, random).start();
    }

    @Override
    public Optional<DomainRef> cached(ComputeDomainUid uid) {
        return reflector.get(uid.value());
    }

    @Override
    public Optional<DomainRef> live(ComputeDomainUid uid, String namespace) throws ApiException {
        Optional<DomainRef> near = find(uid, in(namespace));
        return near.isPresent() ? near : find(uid, everywhere());
    }

    @Override
    public Optional<DomainRef> confirm(DomainRef seen) throws ApiException {
        Call call = Call.of(
                Call.Verb.GET,
                new Call.Target(GROUP, PLURAL, "ComputeDomain " + seen.namespace() + "/" + seen.name(), seen.name()),
                path(seen.namespace()) + "/" + Collection.encoded(seen.name()));
        Optional<Answer.Done> answer = transport.find(call, live);
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(decode(Json.tree(answer.get().body())))
                    .filter(now -> now.uid().equals(seen.uid()));
        } catch (IOException e) {
            throw new ApiException(ApiFailures.unreadable(call, answer.get().server(), e), e);
        }
    }

    @Override
    public Optional<ApiFailure> watchFailure() {
        return reflector.failure();
    }

    private Optional<DomainRef> find(ComputeDomainUid uid, Collection<DomainRef> collection) throws ApiException {
        return Optional.ofNullable(
                Lister.list(transport, live, collection).objects().get(uid.value()));
    }

    private static Collection<DomainRef> everywhere() {
        return collection("ComputeDomains of all namespaces", ROOT + PLURAL);
    }

    private static Collection<DomainRef> in(String namespace) {
        return collection("ComputeDomains of namespace " + namespace, path(namespace));
    }

    private static String path(String namespace) {
        return ROOT + "namespaces/" + Collection.encoded(namespace) + "/" + PLURAL;
    }

    private static Collection<DomainRef> collection(String name, String path) {
        return new Collection<>(
                new Call.Target(GROUP, PLURAL, name, ""), path, Optional.empty(), HttpComputeDomains::decode);
    }

    private static DomainRef decode(JsonNode object) throws IOException {
        JsonNode metadata = object.path("metadata");
        return new DomainRef(
                new ComputeDomainUid(Json.required(metadata, "uid")),
                Json.required(metadata, "namespace"),
                Json.required(metadata, "name"),
                channel(object.path("status").path("channel")),
                ControlJson.deleting(object));
    }

    /** Anything but the number of a channel that can be given away counts as none: the controller mends it. */
    private static Optional<ChannelId> channel(JsonNode value) {
        return value.isIntegralNumber()
                        && value.canConvertToInt()
                        && value.intValue() > 0
                        && value.intValue() <= ChannelId.LARGEST
                ? Optional.of(new ChannelId(value.intValue()))
                : Optional.empty();
    }

    @Override
    public void close() {
        reflector.close();
    }
}
