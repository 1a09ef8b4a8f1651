package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import java.io.IOException;
import java.util.Optional;

/**
 * Calls about the objects of one kind.
 *
 * @param transport makes them
 * @param limiter bounds them
 * @param kind the kind in sentences
 * @param group the API group and its version, as in paths
 * @param plural the resource
 */
record ControlCalls(Transport transport, RateLimiter limiter, String kind, Group group, String plural) {

    private static final String JSON = "application/json";
    private static final String MERGE = "application/merge-patch+json";

    /**
     * An API group.
     *
     * @param name its name
     * @param version the version in use
     */
    record Group(String name, String version) {}

    /** All objects of all namespaces. */
    <T> Collection<T> everywhere(Collection.Decoder<T> decoder) {
        return new Collection<>(
                new Call.Target(group.name(), plural, kind + "s of all namespaces", ""),
                root() + plural,
                Optional.empty(),
                decoder);
    }

    /** All objects of a namespace. */
    <T> Collection<T> in(String namespace, Collection.Decoder<T> decoder) {
        return new Collection<>(
                new Call.Target(group.name(), plural, kind + "s of namespace " + namespace, ""),
                path(namespace),
                Optional.empty(),
                decoder);
    }

    <T> Optional<T> get(String namespace, String name, Collection.Decoder<T> decoder) throws ApiException {
        Optional<Answer.Done> answer =
                transport.find(Call.of(Call.Verb.GET, target(namespace, name), path(namespace, name)), limiter);
        return answer.isEmpty() ? Optional.empty() : Optional.of(decoded(answer.get(), decoder));
    }

    <T> T create(String namespace, String name, ObjectNode object, Collection.Decoder<T> decoder) throws ApiException {
        Call call = Call.of(
                Call.Verb.CREATE, target(namespace, name), path(namespace), new Call.Body(JSON, Json.text(object)));
        return decoded(transport.call(call, limiter), decoder);
    }

    <T> T update(String namespace, String name, ObjectNode object, Collection.Decoder<T> decoder) throws ApiException {
        Call call = Call.of(
                Call.Verb.UPDATE,
                target(namespace, name),
                path(namespace, name),
                new Call.Body(JSON, Json.text(object)));
        return decoded(transport.call(call, limiter), decoder);
    }

    <T> T patch(String namespace, String name, String subresource, ObjectNode patch, Collection.Decoder<T> decoder)
            throws ApiException {
        Call call = Call.of(
                Call.Verb.PATCH,
                target(namespace, name),
                path(namespace, name) + subresource,
                new Call.Body(MERGE, Json.text(patch)));
        return decoded(transport.call(call, limiter), decoder);
    }

    /** Deletes an object; the answer is the object where something holds it, and empty where it is gone. */
    <T> Optional<T> delete(String namespace, String name, ObjectNode options, Collection.Decoder<T> decoder)
            throws ApiException {
        Call call = Call.of(
                Call.Verb.DELETE,
                target(namespace, name),
                path(namespace, name),
                new Call.Body(JSON, Json.text(options)));
        Optional<Answer.Done> answer = transport.find(call, limiter);
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        return decoded(answer.get(), (JsonNode object) -> {
            // The server answers a Status, or the object as it was last, where nothing holds it.
            boolean held = !object.path("kind").asText().equals("Status")
                    && !ControlJson.finalizers(object).isEmpty();
            return held ? Optional.of(decoder.decode(object)) : Optional.empty();
        });
    }

    private static <T> T decoded(Answer.Done answer, Collection.Decoder<T> decoder) throws ApiException {
        try {
            return decoder.decode(Json.tree(answer.body()));
        } catch (IOException e) {
            throw new ApiException(ApiFailures.unreadable(answer.call(), answer.server(), e), e);
        }
    }

    private Call.Target target(String namespace, String name) {
        return new Call.Target(group.name(), plural, kind + " " + namespace + "/" + name, name);
    }

    private String root() {
        return (group.name().isEmpty() ? "/api/" : "/apis/" + group.name() + "/") + group.version() + "/";
    }

    private String path(String namespace) {
        return root() + "namespaces/" + Collection.encoded(namespace) + "/" + plural;
    }

    private String path(String namespace, String name) {
        return path(namespace) + "/" + Collection.encoded(name);
    }
}
