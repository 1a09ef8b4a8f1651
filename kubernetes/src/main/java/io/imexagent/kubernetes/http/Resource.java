package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.ObjectRef;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldValues;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The calls for one kind. {@code called} names it in sentences; {@code limit} is the timeout of a call, if shorter than
 * the usual one.
 */
record Resource<T>(
        Transport transport,
        RateLimiter limiter,
        Group group,
        String kind,
        String called,
        Decoder<T> decoder,
        Optional<Duration> limit) {

    static final Group CORE = new Group("", "v1");
    static final Group DRA = new Group("resource.k8s.io", "v1");
    static final Group COMPUTE_DOMAINS = new Group(DriverNames.API_GROUP, "v1beta1");
    static final Group FABRIC = new Group(FabricObjects.GROUP, "v1alpha1");
    static final Group COORDINATION = new Group("coordination.k8s.io", "v1");
    static final Group AUTHENTICATION = new Group("authentication.k8s.io", "v1");
    static final Group AUTHORIZATION = new Group("authorization.k8s.io", "v1");

    /** The API's MicroTime, with exactly six digits of fraction. */
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    record Group(String name, String version) {

        ObjectNode object(String kind) {
            return JsonTrees.object()
                    .put("apiVersion", name.isEmpty() ? version : name + "/" + version)
                    .put("kind", kind);
        }

        ObjectNode object(String kind, ObjectNode metadata) {
            return object(kind).set("metadata", metadata);
        }
    }

    Resource(Transport transport, RateLimiter limiter, Group group, String kind, Decoder<T> decoder) {
        this(transport, limiter, group, kind, kind, decoder, Optional.empty());
    }

    Resource<T> called(String what) {
        return new Resource<>(transport, limiter, group, kind, what, decoder, limit);
    }

    Resource<T> within(Duration time) {
        return new Resource<>(transport, limiter, group, kind, called, decoder, Optional.of(time));
    }

    Resource<T> under(RateLimiter other) {
        return new Resource<>(transport, other, group, kind, called, decoder, limit);
    }

    /** Returns a copy with another decoder; {@link Decoder#ANY} only checks that an object is returned. */
    <S> Resource<S> reading(Decoder<S> other) {
        return new Resource<>(transport, limiter, group, kind, called, other, limit);
    }

    /**
     * Returns a copy that reads a response as empty if the predicate holds for it, which means that the object is gone.
     */
    private Resource<Optional<T>> absentIf(Predicate<FieldValues> gone) {
        return reading(new Decoder<>(
                decoder.wanted(),
                answer -> gone.test(answer)
                        ? Optional.<T>empty()
                        : Optional.of(decoder.making().of(answer))));
    }

    String plural() {
        String name = kind.toLowerCase(Locale.ROOT);
        return name.endsWith("y") ? name.substring(0, name.length() - 1) + "ies" : name + "s";
    }

    Optional<T> get(String namespace, String name) throws ApiException {
        return read(namespace, name, "");
    }

    /** Reads a subresource of an object, with an optional query after it; empty if the object does not exist. */
    Optional<T> read(String namespace, String name, String subresource) throws ApiException {
        return transport.find(call(Call.Verb.GET, namespace, name, subresource, Optional.empty()), limiter, decoder);
    }

    /** Creates an object; {@code name} is for sentences, and empty if the server generates it. */
    T create(String namespace, String name, ObjectNode object) throws ApiException {
        var call = new Call(
                Call.Verb.CREATE, target(namespace, name), path(namespace), Optional.of(JsonTrees.text(object)), limit);
        return transport.call(call, limiter, decoder);
    }

    T update(String namespace, String name, ObjectNode object) throws ApiException {
        return transport.call(call(Call.Verb.UPDATE, namespace, name, "", Optional.of(object)), limiter, decoder);
    }

    T patch(String namespace, String name, String subresource, ObjectNode patch) throws ApiException {
        return transport.call(
                call(Call.Verb.PATCH, namespace, name, subresource, Optional.of(patch)), limiter, decoder);
    }

    /** Applies a merge patch to an object if it is unchanged since it was observed; see {@link #metadata}. */
    T patch(ObjectRef observed, String subresource, ObjectNode patch) throws ApiException {
        patch.withObject("/metadata").put("uid", observed.uid()).put("resourceVersion", observed.version());
        return patch(observed.namespace(), observed.name(), subresource, patch);
    }

    /**
     * Applies an object by server-side apply; {@code subresource} ends with the field manager, which then owns its
     * fields.
     */
    T apply(String namespace, String name, String subresource, ObjectNode object) throws ApiException {
        return transport.call(
                call(Call.Verb.APPLY, namespace, name, subresource, Optional.of(object)), limiter, decoder);
    }

    /** Deletes an object. An object that is gone already is not a failure. */
    void delete(String namespace, String name) throws ApiException {
        transport.find(call(Call.Verb.DELETE, namespace, name, "", Optional.empty()), limiter, Decoder.ANY);
    }

    /** Deletes an object with these {@code DeleteOptions}. An object that is gone already is not a failure. */
    void delete(String namespace, String name, ObjectNode options) throws ApiException {
        transport.find(call(Call.Verb.DELETE, namespace, name, "", Optional.of(options)), limiter, Decoder.ANY);
    }

    /** Adds labels and sets the finalizers; empty if this removed the object, because it was being deleted. */
    Optional<T> patchMetadata(ObjectRef observed, Map<String, String> labels, List<String> finalizers)
            throws ApiException {
        ObjectNode patch = JsonTrees.object();
        ObjectNode metadata = patch.putObject("metadata");
        // A null removes all finalizers.
        if (finalizers.isEmpty()) {
            metadata.putNull("finalizers");
        } else {
            finalizers.forEach(metadata.putArray("finalizers")::add);
        }
        if (!labels.isEmpty()) {
            texts(metadata, "labels", labels);
        }
        return absentIf(answer -> answer.deleting() && answer.finalizers().isEmpty())
                .patch(observed, "", patch);
    }

    /** Deletes an observed object; returns it if finalizers keep it, or empty if it is gone. */
    Optional<T> delete(ObjectRef observed) throws ApiException {
        ObjectNode options = CORE.object("DeleteOptions");
        options.putObject("preconditions").put("uid", observed.uid()).put("resourceVersion", observed.version());
        Call call = call(Call.Verb.DELETE, observed.namespace(), observed.name(), "", Optional.of(options));
        // If no finalizer keeps the object, the server returns a Status or the object's last state.
        var held = absentIf(answer -> answer.finalizers().isEmpty()).decoder();
        return transport.find(call, limiter, held).flatMap(object -> object);
    }

    /** The metadata with UID and version, with which the server accepts a write only in the observed state. */
    static ObjectNode metadata(ObjectRef observed) {
        ObjectNode metadata = named(observed.namespace(), observed.name());
        return metadata.put("uid", observed.uid()).put("resourceVersion", observed.version());
    }

    static ObjectNode named(String namespace, String name) {
        ObjectNode metadata = JsonTrees.object().put("name", name);
        return namespace.isEmpty() ? metadata : metadata.put("namespace", namespace);
    }

    static String micros(Instant at) {
        return MICROS.format(at);
    }

    static void texts(ObjectNode object, String field, Map<String, String> texts) {
        ObjectNode node = object.putObject(field);
        texts.forEach(node::put);
    }

    private Call call(Call.Verb verb, String namespace, String name, String subresource, Optional<ObjectNode> body) {
        String path = path(namespace) + "/" + Call.encoded(name) + subresource;
        return new Call(verb, target(namespace, name), path, body.map(JsonTrees::text), limit);
    }

    private Call.Target target(String namespace, String name) {
        String object = namespace.isEmpty() ? name : namespace + "/" + name;
        return new Call.Target(group.name(), plural(), name.isEmpty() ? called : called + " " + object, name);
    }

    /** The path of the objects in a namespace; an empty namespace means all of them, or cluster-scoped objects. */
    String path(String namespace) {
        return (group.name().isEmpty() ? "/api/" : "/apis/" + group.name() + "/") + group.version() + "/"
                + (namespace.isEmpty() ? "" : "namespaces/" + Call.encoded(namespace) + "/") + plural();
    }
}
