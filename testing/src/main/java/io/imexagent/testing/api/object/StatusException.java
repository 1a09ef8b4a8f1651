package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * A request that is answered with a {@code Status} object instead of what it asked for. It is thrown, because it ends
 * the request from any depth, and carries no stack trace, because it is an ordinary answer.
 */
public final class StatusException extends RuntimeException {
    private final ObjectNode status;
    private final OptionalInt retryAfterSeconds;

    private StatusException(ObjectNode status, OptionalInt retryAfterSeconds) {
        super(status.path("message").asText(), null, false, false);
        this.status = status;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    /** The HTTP status code. */
    public int code() {
        return status.path("code").asInt();
    }

    /** The body of the answer: kind Status. */
    public ObjectNode status() {
        return status;
    }

    /** Seconds for a Retry-After header. */
    public OptionalInt retryAfterSeconds() {
        return retryAfterSeconds;
    }

    /** 400: a request that makes no sense. */
    public static StatusException badRequest(String message) {
        return of(400, "BadRequest", message);
    }

    /** 401: nobody that the server knows. */
    public static StatusException unauthorized() {
        return of(401, "Unauthorized", "Unauthorized");
    }

    /** 403 with details: the caller may not do this to the object. */
    public static StatusException forbidden(ResourceType type, String name, String why) {
        String object = name.isEmpty() ? type.qualifiedPlural() : type.qualifiedPlural() + " \"" + name + "\"";
        return about(403, "Forbidden", object + " is forbidden: " + why, type.group(), type.plural(), name);
    }

    /** 403 of a ValidatingAdmissionPolicy whose binding has the same name, by a validation with the reason Forbidden. */
    public static StatusException denied(ResourceType type, String name, String policy, String message) {
        String why =
                "ValidatingAdmissionPolicy '" + policy + "' with binding '" + policy + "' denied request: " + message;
        StatusException refusal = forbidden(type, name, why);
        Json.child(refusal.status, "details").putArray("causes").addObject().put("message", why);
        return refusal;
    }

    /** 403 of a review, whose resource is none that is stored. */
    public static StatusException forbiddenReview(String user, String group, String plural) {
        String why = plural + "." + group + " is forbidden: User \"" + user + "\" cannot create resource \"" + plural
                + "\" in API group \"" + group + "\" at the cluster scope";
        return about(403, "Forbidden", why, group, plural, "");
    }

    /** 403 of a path that is no resource. */
    public static StatusException forbiddenPath(String user, String verb, String path) {
        return of(403, "Forbidden", "forbidden: User \"" + user + "\" cannot " + verb + " path \"" + path + "\"");
    }

    /** 404 of an object. */
    public static StatusException notFound(ResourceType type, String name) {
        String message = type.qualifiedPlural() + " \"" + name + "\" not found";
        return about(404, "NotFound", message, type.group(), type.plural(), name);
    }

    /** 405: the resource has no such verb. */
    public static StatusException methodNotAllowed() {
        return of(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
    }

    /** 406: the client takes no JSON. */
    public static StatusException notAcceptable() {
        return of(406, "NotAcceptable", "only the following media types are accepted: application/json");
    }

    /** 409 of a create. */
    public static StatusException alreadyExists(ResourceType type, String name) {
        String message = type.qualifiedPlural() + " \"" + name + "\" already exists";
        return about(409, "AlreadyExists", message, type.group(), type.plural(), name);
    }

    /** 409 of an update or delete. */
    public static StatusException conflict(ResourceType type, String name, String why) {
        String message = "Operation cannot be fulfilled on " + type.qualifiedPlural() + " \"" + name + "\": " + why;
        return about(409, "Conflict", message, type.group(), type.plural(), name);
    }

    /** 410: the history that the client asks for is gone. */
    public static StatusException expired(long asked, long oldest) {
        return of(410, "Expired", "too old resource version: " + asked + " (" + oldest + ")");
    }

    /** 413: a request that the server does not read to its end. */
    public static StatusException entityTooLarge(int limit) {
        return of(413, "RequestEntityTooLarge", "Request entity too large: limit is " + limit);
    }

    /** 500: an object that the server takes and etcd does not. */
    public static StatusException objectTooLarge() {
        return of(500, "", "etcdserver: request is too large");
    }

    /** 415: a body in a form that the resource does not take. */
    public static StatusException unsupportedMediaType(String offered, String accepted) {
        return of(
                415,
                "UnsupportedMediaType",
                "the body of the request was in an unknown format (" + offered + ") - accepted media types include: "
                        + accepted);
    }

    /** 422 with its causes. */
    public static StatusException invalid(ResourceType type, String name, List<Cause> causes) {
        List<String> faults = causes.stream()
                .map(cause -> cause.field() + ": " + cause.message())
                .toList();
        String all =
                faults.size() == 1 ? faults.getFirst() : faults.stream().collect(Collectors.joining(", ", "[", "]"));
        String message = type.qualifiedKind() + " \"" + name + "\" is invalid: " + all;
        StatusException refusal = about(422, "Invalid", message, type.group(), type.kind(), name);
        var list = Json.child(refusal.status, "details").putArray("causes");
        for (Cause cause : causes) {
            list.addObject()
                    .put("reason", cause.reason())
                    .put("message", cause.message())
                    .put("field", cause.field());
        }
        return refusal;
    }

    /** 422: an update of a custom object that does not say which version it changes. */
    public static StatusException withoutVersion(ResourceType type, String name) {
        Cause cause = Cause.invalid("metadata.resourceVersion", "0x0", "must be specified for an update");
        return invalid(type, name, List.of(cause));
    }

    /** 500: a fault of the server itself. */
    public static StatusException internal(String message) {
        return of(500, "InternalError", "Internal error occurred: " + message);
    }

    /**
     * An answer that a test asked for, worded as the real server words it.
     *
     * @param code an HTTP status code
     * @param type the resource of the request, where it has one
     */
    public static StatusException injected(
            int code, Optional<ResourceType> type, String name, OptionalInt retryAfterSeconds) {
        StatusException refusal = switch (code) {
            case 401 -> unauthorized();
            case 403 ->
                type.map(t -> forbidden(t, name, "fault injected by a test"))
                        .orElseGet(() -> of(403, "Forbidden", "forbidden: fault injected by a test"));
            case 404 ->
                type.map(t -> notFound(t, name))
                        .orElseGet(() -> of(404, "NotFound", "the server could not find the requested resource"));
            case 409 -> type.map(t -> conflict(t, name, MODIFIED)).orElseGet(() -> of(409, "Conflict", MODIFIED));
            case 410 -> of(410, "Expired", "The resourceVersion for the provided watch is too old.");
            case 429 -> of(429, "TooManyRequests", "Too many requests, please try again later.");
            case 500 -> internal("fault injected by a test");
            case 503 -> of(503, "ServiceUnavailable", "the server is currently unable to handle the request");
            case 504 -> of(504, "Timeout", "Timeout: request did not complete within requested timeout");
            default -> of(code, "", "fault injected by a test");
        };
        retryAfterSeconds.ifPresent(
                seconds -> Json.child(refusal.status, "details").put("retryAfterSeconds", seconds));
        return new StatusException(refusal.status, retryAfterSeconds);
    }

    /** What the real server says when a resourceVersion is not the current one. */
    public static final String MODIFIED =
            "the object has been modified; please apply your changes to the latest version and try again";

    private static StatusException about(
            int code, String reason, String message, String group, String kind, String name) {
        StatusException refusal = of(code, reason, message);
        ObjectNode details = Json.child(refusal.status, "details");
        if (!name.isEmpty()) {
            details.put("name", name);
        }
        if (!group.isEmpty()) {
            details.put("group", group);
        }
        details.put("kind", kind);
        return refusal;
    }

    private static StatusException of(int code, String reason, String message) {
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Failure").put("message", message);
        if (!reason.isEmpty()) {
            status.put("reason", reason);
        }
        status.put("code", code);
        return new StatusException(status, OptionalInt.empty());
    }
}
