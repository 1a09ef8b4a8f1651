package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.AgentPolicies;
import io.imexagent.testing.api.access.Identity;
import io.imexagent.testing.api.access.NodeRestriction;
import io.imexagent.testing.api.access.ResourceRequest;
import io.imexagent.testing.api.access.Verb;
import io.imexagent.testing.api.http.Exchange;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.LabelSelector;
import io.imexagent.testing.api.object.Lifecycle;
import io.imexagent.testing.api.object.ObjectKey;
import io.imexagent.testing.api.object.Patch;
import io.imexagent.testing.api.object.Pruning;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Answers requests for resources, once they are authenticated and authorised; watches are answered elsewhere. */
final class ResourceHandler {
    private static final int LARGEST_BODY = 3 << 20;

    private final ObjectStore store;
    private final Registry registry;
    private final Lifecycle lifecycle;

    ResourceHandler(ObjectStore store, Registry registry, Lifecycle lifecycle) {
        this.store = store;
        this.registry = registry;
        this.lifecycle = lifecycle;
    }

    Answer handle(Exchange exchange, ResourceRequest request, Identity identity) {
        WriteGuard guard = (verb, type, old, now) -> {
            NodeRestriction.check(identity, verb, type, old, now);
            AgentPolicies.check(identity, type, old, now);
        };
        if (exchange.body().length > LARGEST_BODY) {
            throw StatusException.entityTooLarge(LARGEST_BODY);
        }
        if (exchange.parameter("dryRun").isPresent()) {
            throw StatusException.badRequest("this server offers no dryRun");
        }
        return switch (request.verb()) {
            case GET -> Answer.ok(get(request).bytes());
            case LIST, WATCH -> Answer.list(request.type(), store.list(filter(exchange, request)));
            case CREATE -> create(exchange, request, guard);
            case UPDATE -> update(exchange, request, guard);
            case PATCH -> patch(exchange, request, guard);
            case DELETE -> delete(exchange, request, guard);
            case DELETECOLLECTION -> deleteCollection(exchange, request, guard);
        };
    }

    static Filter filter(Exchange exchange, ResourceRequest request) {
        LabelSelector labels =
                exchange.parameter("labelSelector").map(LabelSelector::parse).orElse(LabelSelector.ALL);
        return new Filter(request.type(), request.namespace(), labels, request.fields());
    }

    private StoredObject get(ResourceRequest request) {
        return store.get(key(request)).orElseThrow(() -> StatusException.notFound(request.type(), request.name()));
    }

    private Answer create(Exchange exchange, ResourceRequest request, WriteGuard guard) {
        ObjectNode sent = body(exchange, request.type());
        String own = sent.path("metadata").path("namespace").asText(request.namespace());
        if (!own.isEmpty() && !own.equals(request.namespace())) {
            throw StatusException.badRequest(
                    "the namespace of the provided object does not match the namespace sent on the request");
        }
        List<String> unknown = fit(exchange, request.type(), sent);
        StoredObject created = registry.create(request.type(), request.namespace(), sent, guard);
        return Answer.created(created.bytes()).warning(unknown);
    }

    private Answer update(Exchange exchange, ResourceRequest request, WriteGuard guard) {
        ObjectNode sent = body(exchange, request.type());
        List<String> unknown = fit(exchange, request.type(), sent);
        StoredObject updated =
                registry.update(key(request), request.subresource(), Verb.UPDATE, current -> sent, guard);
        return Answer.ok(updated.bytes()).warning(unknown);
    }

    private Answer patch(Exchange exchange, ResourceRequest request, WriteGuard guard) {
        ResourceType type = request.type();
        Patch patch = Patch.of(type, exchange.header("content-type").orElse(""));
        List<String> unknown = new ArrayList<>();
        StoredObject patched = registry.update(
                key(request),
                request.subresource(),
                Verb.PATCH,
                current -> {
                    ObjectNode result = patch.apply(type, request.name(), current, exchange.body());
                    unknown.addAll(fit(exchange, type, result));
                    return result;
                },
                guard);
        return Answer.ok(patched.bytes()).warning(unknown);
    }

    private Answer delete(Exchange exchange, ResourceRequest request, WriteGuard guard) {
        return switch (registry.delete(key(request), options(exchange), guard)) {
            case Registry.Deletion.Held(StoredObject object) -> Answer.ok(object.bytes());
            case Registry.Deletion.Gone(StoredObject last) -> Answer.ok(success(request.type(), last));
        };
    }

    private Answer deleteCollection(Exchange exchange, ResourceRequest request, WriteGuard guard) {
        List<StoredObject> deleted = registry.deleteAll(filter(exchange, request), options(exchange), guard);
        return Answer.list(request.type(), new ObjectStore.Listing(store.revision(), deleted));
    }

    private List<String> fit(Exchange exchange, ResourceType type, ObjectNode sent) {
        Pruning pruning = lifecycle.fit(type, sent);
        List<String> unknown = pruning.unknownFields();
        String validation = exchange.parameter("fieldValidation").orElse("Warn");
        if (validation.equals("Strict") && !unknown.isEmpty()) {
            throw StatusException.badRequest(
                    type.kind() + " in version \"" + type.version() + "\" cannot be handled as a " + type.kind()
                            + ": strict decoding error: unknown field \"" + unknown.getFirst() + "\"");
        }
        return validation.equals("Ignore") ? List.of() : unknown;
    }

    private static ObjectNode body(Exchange exchange, ResourceType type) {
        String media = exchange.header("content-type").orElse(Answer.JSON);
        if (!media.startsWith(Answer.JSON)) {
            throw StatusException.unsupportedMediaType(media, Answer.JSON);
        }
        ObjectNode sent = object(exchange.body());
        String apiVersion = sent.path("apiVersion").asText("");
        String kind = sent.path("kind").asText("");
        if ((!apiVersion.isEmpty() && !apiVersion.equals(type.apiVersion()))
                || (!kind.isEmpty() && !kind.equals(type.kind()))) {
            throw StatusException.badRequest("the API version in the data (" + apiVersion + ", Kind=" + kind
                    + ") does not match the expected API version (" + type.apiVersion() + ", Kind=" + type.kind()
                    + ")");
        }
        return sent;
    }

    private static JsonNode options(Exchange exchange) {
        return exchange.body().length == 0 ? Json.object() : object(exchange.body());
    }

    private static ObjectNode object(byte[] body) {
        try {
            if (Json.parse(body) instanceof ObjectNode object) {
                return object;
            }
        } catch (IOException e) {
            throw StatusException.badRequest("the object provided is unrecognized: " + e.getMessage());
        }
        throw StatusException.badRequest("the object provided is unrecognized (must be of type Object)");
    }

    private static ObjectNode success(ResourceType type, StoredObject last) {
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Success")
                .putObject("details")
                .put("name", last.key().name())
                .put("group", type.group())
                .put("kind", type.plural())
                .put("uid", last.tree().path("metadata").path("uid").asText());
        return status;
    }

    private static ObjectKey key(ResourceRequest request) {
        return new ObjectKey(request.type(), request.namespace(), request.name());
    }

    /** The verb of a method on a path, as the API conventions map it; empty where the path has no such method. */
    static Optional<Verb> verb(String method, boolean named, boolean watch) {
        return switch (method) {
            case "GET" -> Optional.of(named ? Verb.GET : watch ? Verb.WATCH : Verb.LIST);
            case "POST" -> named ? Optional.empty() : Optional.of(Verb.CREATE);
            case "PUT" -> named ? Optional.of(Verb.UPDATE) : Optional.empty();
            case "PATCH" -> named ? Optional.of(Verb.PATCH) : Optional.empty();
            case "DELETE" -> Optional.of(named ? Verb.DELETE : Verb.DELETECOLLECTION);
            default -> Optional.empty();
        };
    }
}
