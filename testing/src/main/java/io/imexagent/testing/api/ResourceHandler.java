package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.ResourceRequest;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.Lifecycle;
import io.imexagent.testing.api.object.ObjectKey;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.Selector;
import io.imexagent.testing.api.object.StatusException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Answers requests for resources, once they are authenticated and authorised. */
final class ResourceHandler {
    /** The annotation of a pod whose text the double serves as the pod's log. */
    private static final String LOG = "log";

    private static final String MERGE_PATCH = "application/merge-patch+json";
    private static final String APPLY_PATCH = "application/apply-patch+yaml";
    /** The forms of a patch that the server takes for a custom resource, and of any other body. */
    private static final String PATCHES =
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";

    private static final String BODIES = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    private static final int LARGEST_BODY = 3 << 20;
    /** A watch without timeoutSeconds ends after this, as on the real server, which picks 30 to 60 minutes. */
    private static final Duration LONGEST_WATCH = Duration.ofMinutes(30);

    private final ObjectStore store;
    private final Registry registry;
    private final Lifecycle lifecycle;
    private final Duration bookmarkInterval;
    private final AppliedReports reports = new AppliedReports();

    ResourceHandler(ObjectStore store, Registry registry, Lifecycle lifecycle, Duration bookmarkInterval) {
        this.store = store;
        this.registry = registry;
        this.lifecycle = lifecycle;
        this.bookmarkInterval = bookmarkInterval;
    }

    HttpAnswer handle(ServerExchange exchange, ResourceRequest request, UserIdentity identity) {
        if (exchange.body().length > LARGEST_BODY) {
            throw StatusException.of(
                    413, "RequestEntityTooLarge", "Request entity too large: limit is " + LARGEST_BODY);
        }
        if (exchange.parameter("dryRun").isPresent()) {
            throw StatusException.badRequest("this server offers no dryRun");
        }
        ResourceType type = request.type();
        ObjectKey key = new ObjectKey(type, request.namespace(), request.name());
        return switch (request.verb()) {
            case GET -> {
                StoredObject found = store.get(key).orElseThrow(() -> StatusException.notFound(type, request.name()));
                yield request.subresource().equals("log")
                        ? HttpAnswer.text(200, found.text("/metadata/annotations/" + LOG))
                        : HttpAnswer.json(200, found.bytes());
            }
            case LIST, WATCH ->
                store.atomically(() -> HttpAnswer.list(type, store.revision(), store.list(filter(exchange, request))));
            case CREATE -> create(exchange, request, identity);
            case UPDATE, PATCH -> update(exchange, request, key, identity);
            case DELETE -> {
                StoredObject deleted = registry.delete(key, options(exchange), identity);
                yield Lifecycle.held(deleted.tree())
                        ? HttpAnswer.json(200, deleted.bytes())
                        : HttpAnswer.json(200, success(deleted));
            }
            case DELETECOLLECTION -> {
                List<StoredObject> deleted = registry.deleteAll(filter(exchange, request), options(exchange), identity);
                yield HttpAnswer.list(type, store.revision(), deleted);
            }
        };
    }

    /** Serves a watch until one side ends it. */
    void watch(ServerExchange exchange, ResourceRequest request) throws IOException, InterruptedException {
        // Without a version, as with "0", the objects of now come first.
        OptionalLong after = exchange.parameter("resourceVersion")
                .filter(text -> !text.isEmpty() && !text.equals("0"))
                .map(text -> OptionalLong.of(number(text)))
                .orElseGet(OptionalLong::empty);
        Duration limit = exchange.parameter("timeoutSeconds")
                .map(ResourceHandler::number)
                .filter(seconds -> seconds > 0)
                .map(Duration::ofSeconds)
                .orElse(LONGEST_WATCH);
        Watch watch = store.watch(filter(exchange, request), after);
        try {
            Optional<Runnable> bookmark =
                    exchange.flag("allowWatchBookmarks") ? Optional.of(() -> store.bookmark(watch)) : Optional.empty();
            watch.serve(exchange, limit, bookmark, bookmarkInterval);
        } finally {
            store.close(watch);
        }
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw StatusException.badRequest("Invalid value: \"" + text + "\": not a number");
        }
    }

    private static ObjectStore.Filter filter(ServerExchange exchange, ResourceRequest request) {
        Selector labels =
                exchange.parameter("labelSelector").map(Selector::ofLabels).orElse(Selector.ALL);
        return new ObjectStore.Filter(request.type(), request.namespace(), labels, request.fields());
    }

    private HttpAnswer create(ServerExchange exchange, ResourceRequest request, UserIdentity identity) {
        ObjectNode sent = body(exchange, request.type());
        List<String> unknown = fit(exchange, request.type(), sent);
        StoredObject created = registry.create(request.type(), request.namespace(), sent, identity);
        return HttpAnswer.json(201, created.bytes()).warning(unknown);
    }

    private HttpAnswer update(ServerExchange exchange, ResourceRequest request, ObjectKey key, UserIdentity identity) {
        boolean applies = request.verb() == RequestVerb.PATCH && appliesReports(exchange, request);
        ObjectNode sent = applies
                ? Json.sent(exchange.body())
                : request.verb() == RequestVerb.PATCH ? patch(exchange) : body(exchange, key.type());
        List<String> unknown = new ArrayList<>();
        if (applies) {
            String manager = exchange.parameter("fieldManager").orElseThrow();
            return store.atomically(() -> {
                StoredObject applied = registry.update(
                        key,
                        request.subresource(),
                        request.verb(),
                        current -> {
                            ObjectNode result = reports.apply(manager, current, sent);
                            unknown.addAll(fit(exchange, key.type(), result));
                            return result;
                        },
                        identity);
                reports.keep(manager, applied.text("/metadata/uid"), sent);
                return HttpAnswer.json(200, applied.bytes()).warning(unknown);
            });
        }
        StoredObject updated = registry.update(
                key,
                request.subresource(),
                request.verb(),
                current -> {
                    ObjectNode result = sent;
                    if (request.verb() == RequestVerb.PATCH) {
                        result = current.deepCopy();
                        merge(result, sent);
                    }
                    unknown.addAll(fit(exchange, key.type(), result));
                    return result;
                },
                identity);
        return HttpAnswer.json(200, updated.bytes()).warning(unknown);
    }

    /** Whether this is a server-side apply, in JSON; the double knows it for the status of claims alone. */
    private static boolean appliesReports(ServerExchange exchange, ResourceRequest request) {
        boolean applies = request.resource().equals("resourceclaims/status")
                && exchange.header("content-type").orElse("").startsWith(APPLY_PATCH);
        if (applies && exchange.parameter("fieldManager").isEmpty()) {
            throw StatusException.badRequest("PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value:"
                    + " is required for apply patch");
        }
        return applies;
    }

    private static ObjectNode patch(ServerExchange exchange) {
        String form = exchange.header("content-type").orElse("");
        if (!form.startsWith(MERGE_PATCH)) {
            throw StatusException.unsupportedMediaType(PATCHES);
        }
        return Json.sent(exchange.body());
    }

    /** Applies a JSON merge patch (RFC 7396), the one form of PATCH that the double takes. */
    private static void merge(ObjectNode target, ObjectNode change) {
        change.properties().forEach(field -> {
            if (field.getValue() instanceof ObjectNode fields) {
                merge(Json.child(target, field.getKey()), fields);
            } else if (field.getValue().isNull()) {
                target.remove(field.getKey());
            } else {
                target.set(field.getKey(), field.getValue());
            }
        });
    }

    private List<String> fit(ServerExchange exchange, ResourceType type, ObjectNode sent) {
        List<String> unknown = lifecycle.fit(type, sent);
        String validation = exchange.parameter("fieldValidation").orElse("Warn");
        if (validation.equals("Strict") && !unknown.isEmpty()) {
            throw StatusException.badRequest(
                    type.kind() + " in version \"" + type.version() + "\" cannot be handled as a " + type.kind()
                            + ": strict decoding error: unknown field \"" + unknown.getFirst() + "\"");
        }
        return validation.equals("Ignore") ? List.of() : unknown;
    }

    private static ObjectNode body(ServerExchange exchange, ResourceType type) {
        String media = exchange.header("content-type").orElse(HttpAnswer.JSON);
        if (!media.startsWith(HttpAnswer.JSON)) {
            throw StatusException.unsupportedMediaType(BODIES);
        }
        ObjectNode sent = Json.sent(exchange.body());
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

    private static JsonNode options(ServerExchange exchange) {
        return exchange.body().length == 0 ? Json.object() : Json.sent(exchange.body());
    }

    private static ObjectNode success(StoredObject last) {
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Success")
                .putObject("details")
                .put("name", last.key().name())
                .put("group", last.key().type().group())
                .put("kind", last.key().type().plural())
                .put("uid", last.text("/metadata/uid"));
        return status;
    }
}
