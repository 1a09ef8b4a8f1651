package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.DriverNames;
import java.util.Optional;

/**
 * Calls about the objects of one kind. A kind that stands in no namespace has the empty one.
 *
 * @param transport makes them
 * @param limiter bounds them
 * @param kind the kind in sentences
 * @param group the API group
 * @param plural the resource
 */
record Resource(Transport transport, RateLimiter limiter, String kind, Group group, String plural) {

    private static final String JSON = "application/json";
    private static final String MERGE = "application/merge-patch+json";

    static final Group CORE = new Group("", "v1");
    static final Group DRA = new Group("resource.k8s.io", "v1");
    static final Group COMPUTE_DOMAINS = new Group(DriverNames.API_GROUP, "v1beta1");
    static final Group COORDINATION = new Group("coordination.k8s.io", "v1");

    /**
     * An API group.
     *
     * @param name its name
     * @param version the version in use
     */
    record Group(String name, String version) {}

    /** All objects of all namespaces. */
    <T> Collection<T> everywhere(Decoder<T> decoder) {
        return collection(kind + "s of all namespaces", path(""), Optional.empty(), decoder);
    }

    /** The objects of all namespaces that a field selector picks out; {@code what} names them in sentences. */
    <T> Collection<T> selected(String what, String selector, Decoder<T> decoder) {
        return collection(what, path(""), Optional.of(selector), decoder);
    }

    /** All objects of a namespace. */
    <T> Collection<T> in(String namespace, Decoder<T> decoder) {
        return collection(kind + "s of namespace " + namespace, path(namespace), Optional.empty(), decoder);
    }

    private <T> Collection<T> collection(String what, String path, Optional<String> selector, Decoder<T> decoder) {
        return new Collection<>(new Call.Target(group.name(), plural, what, ""), path, selector, decoder);
    }

    /** Lists a collection of them. */
    <T> Lister.Listed<T> list(Collection<T> collection) throws ApiException {
        return Lister.list(transport, limiter, collection);
    }

    /**
     * Looks for an object in a collection; empty where the server has none of this UID.
     *
     * @throws ApiException also where the object cannot be read, which is not the same as that there is none
     */
    <T> Optional<T> find(String uid, Collection<T> collection) throws ApiException {
        Lister.Listed<T> listed = list(collection);
        if (listed.unread().contains(uid)) {
            throw new ApiException(ApiFailures.unread(collection.target().object()));
        }
        return Optional.ofNullable(listed.objects().get(uid));
    }

    /** Reads an object; empty where there is none of that name. */
    <T> Optional<T> get(String namespace, String name, Decoder<T> decoder) throws ApiException {
        return transport.find(Call.of(Call.Verb.GET, target(namespace, name), path(namespace, name)), limiter, decoder);
    }

    <T> T create(String namespace, String name, ObjectNode object, Decoder<T> decoder) throws ApiException {
        var body = new Call.Body(JSON, Json.text(object));
        return transport.call(
                Call.of(Call.Verb.CREATE, target(namespace, name), path(namespace), body), limiter, decoder);
    }

    <T> T update(String namespace, String name, ObjectNode object, Decoder<T> decoder) throws ApiException {
        Call call = Call.of(
                Call.Verb.UPDATE,
                target(namespace, name),
                path(namespace, name),
                new Call.Body(JSON, Json.text(object)));
        return transport.call(call, limiter, decoder);
    }

    <T> T patch(String namespace, String name, String subresource, ObjectNode patch, Decoder<T> decoder)
            throws ApiException {
        Call call = Call.of(
                Call.Verb.PATCH,
                target(namespace, name),
                path(namespace, name) + subresource,
                new Call.Body(MERGE, Json.text(patch)));
        return transport.call(call, limiter, decoder);
    }

    /** Deletes an object; one that is gone already is as good. */
    void delete(String namespace, String name) throws ApiException {
        Call call = Call.of(Call.Verb.DELETE, target(namespace, name), path(namespace, name));
        transport.find(call, limiter, Decoder.ANY);
    }

    /** Deletes an object as it was observed; the answer is the object where something holds it, and empty where it is gone. */
    <T> Optional<T> delete(String namespace, String name, ObjectNode options, Decoder<T> decoder) throws ApiException {
        Call call = Call.of(
                Call.Verb.DELETE,
                target(namespace, name),
                path(namespace, name),
                new Call.Body(JSON, Json.text(options)));
        // The server answers a Status, or the object as it was last, where nothing holds it.
        return transport
                .find(
                        call,
                        limiter,
                        new Decoder<>(
                                decoder.wanted(),
                                answer -> answer.finalizers().isEmpty()
                                        ? Optional.<T>empty()
                                        : Optional.of(decoder.making().of(answer))))
                .flatMap(held -> held);
    }

    private Call.Target target(String namespace, String name) {
        String object = namespace.isEmpty() ? name : namespace + "/" + name;
        return new Call.Target(group.name(), plural, object.isEmpty() ? kind : kind + " " + object, name);
    }

    private String root() {
        return (group.name().isEmpty() ? "/api/" : "/apis/" + group.name() + "/") + group.version() + "/";
    }

    private String path(String namespace) {
        return root() + (namespace.isEmpty() ? "" : "namespaces/" + Collection.encoded(namespace) + "/") + plural;
    }

    private String path(String namespace, String name) {
        return path(namespace) + "/" + Collection.encoded(name);
    }
}
