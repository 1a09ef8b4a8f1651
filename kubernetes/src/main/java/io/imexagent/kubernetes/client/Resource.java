package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.json.JsonTrees;
import java.time.Duration;
import java.util.Optional;

/**
 * Calls about the objects of one kind. A kind that stands in no namespace has the empty one.
 *
 * @param transport makes them
 * @param limiter bounds them
 * @param kind the kind in sentences
 * @param group the API group
 * @param plural the resource
 * @param limit how long the server may take to answer a call about one object, where that is less than it may usually
 */
record Resource(
        Transport transport, RateLimiter limiter, String kind, Group group, String plural, Optional<Duration> limit) {

    static final Group CORE = new Group("", "v1");
    static final Group DRA = new Group("resource.k8s.io", "v1");
    static final Group COMPUTE_DOMAINS = new Group(DriverNames.API_GROUP, "v1beta1");
    static final Group FABRIC = new Group(FabricObjects.GROUP, "v1alpha1");
    static final Group COORDINATION = new Group("coordination.k8s.io", "v1");
    static final Group AUTHORIZATION = new Group("authorization.k8s.io", "v1");

    /**
     * An API group.
     *
     * @param name its name
     * @param version the version in use
     */
    record Group(String name, String version) {}

    /** Calls that have the usual time. */
    Resource(Transport transport, RateLimiter limiter, String kind, Group group, String plural) {
        this(transport, limiter, kind, group, plural, Optional.empty());
    }

    /** The same, where a call about one object takes no longer than this. */
    Resource within(Duration limit) {
        return new Resource(transport, limiter, kind, group, plural, Optional.of(limit));
    }

    /** All objects of all namespaces. */
    <T> Collection<T> everywhere(Decoder<T> decoder) {
        return collection(kind + "s of all namespaces", path(""), Optional.empty(), decoder);
    }

    /** The objects of all namespaces that a field selector picks out; {@code what} names them in sentences. */
    <T> Collection<T> selected(String what, String selector, Decoder<T> decoder) {
        return collection(what, path(""), Optional.of("fieldSelector=" + Collection.encoded(selector)), decoder);
    }

    /** The objects of all namespaces that a label selector picks out; {@code what} names them in sentences. */
    <T> Collection<T> labelled(String what, String selector, Decoder<T> decoder) {
        return collection(what, path(""), Optional.of("labelSelector=" + Collection.encoded(selector)), decoder);
    }

    /** All objects of a namespace. */
    <T> Collection<T> in(String namespace, Decoder<T> decoder) {
        return collection(kind + "s of namespace " + namespace, path(namespace), Optional.empty(), decoder);
    }

    private <T> Collection<T> collection(String what, String path, Optional<String> selector, Decoder<T> decoder) {
        return new Collection<>(new Call.Target(group.name(), plural, what, ""), path, selector, decoder);
    }

    /** Lists a collection of them. */
    <T> Collection.Listed<T> list(Collection<T> collection) throws ApiException {
        return collection.list(transport, limiter);
    }

    /**
     * Looks for an object in a collection; empty where the server has none of this UID.
     *
     * @throws ApiException also where the object cannot be read, which is not the same as that there is none
     */
    <T> Optional<T> find(String uid, Collection<T> collection) throws ApiException {
        Collection.Listed<T> listed = collection.list(transport, limiter, uid::equals);
        Optional<T> found = listed.all().stream().findFirst();
        if (found.isEmpty() && listed.unread().mayHave(uid)) {
            throw new ApiException(ApiFailures.unread(collection.target().object(), listed.unread()));
        }
        return found;
    }

    /** Reads an object; empty where there is none of that name. */
    <T> Optional<T> get(String namespace, String name, Decoder<T> decoder) throws ApiException {
        return transport.find(call(Call.Verb.GET, namespace, name, "", Optional.empty()), limiter, decoder);
    }

    /** Makes an object; {@code name} is for sentences, and empty where the server names it. */
    <T> T create(String namespace, String name, ObjectNode object, Decoder<T> decoder) throws ApiException {
        var call = new Call(
                Call.Verb.CREATE, target(namespace, name), path(namespace), Optional.of(JsonTrees.text(object)), limit);
        return transport.call(call, limiter, decoder);
    }

    <T> T update(String namespace, String name, ObjectNode object, Decoder<T> decoder) throws ApiException {
        return transport.call(call(Call.Verb.UPDATE, namespace, name, "", Optional.of(object)), limiter, decoder);
    }

    <T> T patch(String namespace, String name, String subresource, ObjectNode patch, Decoder<T> decoder)
            throws ApiException {
        return transport.call(
                call(Call.Verb.PATCH, namespace, name, subresource, Optional.of(patch)), limiter, decoder);
    }

    /** Deletes an object; one that is gone already is as good. */
    void delete(String namespace, String name) throws ApiException {
        transport.find(call(Call.Verb.DELETE, namespace, name, "", Optional.empty()), limiter, Decoder.ANY);
    }

    /** Deletes an object as it was observed; the answer is the object where something holds it, and empty where it is gone. */
    <T> Optional<T> delete(String namespace, String name, ObjectNode options, Decoder<T> decoder) throws ApiException {
        // The server answers a Status, or the object as it was last, where nothing holds it.
        Decoder<Optional<T>> held = new Decoder<>(
                decoder.wanted(),
                answer -> answer.finalizers().isEmpty()
                        ? Optional.<T>empty()
                        : Optional.of(decoder.making().of(answer)));
        return transport
                .find(call(Call.Verb.DELETE, namespace, name, "", Optional.of(options)), limiter, held)
                .flatMap(object -> object);
    }

    private Call call(Call.Verb verb, String namespace, String name, String subresource, Optional<ObjectNode> body) {
        String path = path(namespace) + "/" + Collection.encoded(name) + subresource;
        return new Call(verb, target(namespace, name), path, body.map(JsonTrees::text), limit);
    }

    private Call.Target target(String namespace, String name) {
        String object = namespace.isEmpty() ? name : namespace + "/" + name;
        return new Call.Target(group.name(), plural, name.isEmpty() ? kind : kind + " " + object, name);
    }

    private String path(String namespace) {
        return (group.name().isEmpty() ? "/api/" : "/apis/" + group.name() + "/") + group.version() + "/"
                + (namespace.isEmpty() ? "" : "namespaces/" + Collection.encoded(namespace) + "/") + plural;
    }
}
