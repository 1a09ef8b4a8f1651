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
    /** What the real server says when a resourceVersion is not the current one. */
    public static final String MODIFIED =
            "the object has been modified; please apply your changes to the latest version and try again";

    private static final long serialVersionUID = 1L;

    private final transient ObjectNode status;
    private final OptionalInt retryAfterSeconds;

    private StatusException(ObjectNode status, OptionalInt retryAfterSeconds) {
        super(status.path("message").asText(), null, false, false);
        this.status = status;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    /** A refusal without details, with an HTTP status code and a machine-readable reason, which may be empty. */
    public static StatusException of(int code, String reason, String message) {
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Failure").put("message", message);
        if (!reason.isEmpty()) {
            status.put("reason", reason);
        }
        status.put("code", code);
        return new StatusException(status, OptionalInt.empty());
    }

    public int code() {
        return status.path("code").asInt();
    }

    public ObjectNode status() {
        return status;
    }

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

    /** 403: the caller may not do this to the object. */
    public static StatusException forbidden(ResourceType type, String name, String why) {
        String object = name.isEmpty() ? type.qualifiedPlural() : type.qualifiedPlural() + " \"" + name + "\"";
        return of(403, "Forbidden", object + " is forbidden: " + why).about(type, name);
    }

    /** 403 of a ValidatingAdmissionPolicy whose binding has the same name, by a validation with the reason Forbidden. */
    public static StatusException denied(ResourceType type, String name, String policy, String message) {
        String why =
                "ValidatingAdmissionPolicy '" + policy + "' with binding '" + policy + "' denied request: " + message;
        StatusException refusal = forbidden(type, name, why);
        refusal.details().putArray("causes").addObject().put("message", why);
        return refusal;
    }

    public static StatusException notFound(ResourceType type, String name) {
        return of(404, "NotFound", type.qualifiedPlural() + " \"" + name + "\" not found")
                .about(type, name);
    }

    /** 405: the resource has no such verb. */
    public static StatusException methodNotAllowed() {
        return of(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
    }

    public static StatusException alreadyExists(ResourceType type, String name) {
        return of(409, "AlreadyExists", type.qualifiedPlural() + " \"" + name + "\" already exists")
                .about(type, name);
    }

    /** 409 of an update or delete. */
    public static StatusException conflict(ResourceType type, String name, String why) {
        String message = "Operation cannot be fulfilled on " + type.qualifiedPlural() + " \"" + name + "\": " + why;
        return of(409, "Conflict", message).about(type, name);
    }

    /** 409 of a delete under preconditions; it names the kind where others name the resource. */
    public static StatusException preconditionFailed(ResourceType type, String name, String why) {
        String message = "Operation cannot be fulfilled on " + type.qualifiedKind() + " \"" + name + "\": " + why;
        return of(409, "Conflict", message).about(type.group(), type.kind(), name);
    }

    /** 415: a body in a form that the resource does not take; the real server's list of those that it takes. */
    public static StatusException unsupportedMediaType(String accepted) {
        return of(
                415,
                "UnsupportedMediaType",
                "the body of the request was in an unknown format - accepted media types include: " + accepted);
    }

    /** 422 of an update without a version, where the resource demands one; it names the resource, not the kind. */
    public static StatusException unversioned(ResourceType type, String name) {
        StatusCause missing = StatusCause.invalid("metadata.resourceVersion", "0", "must be specified for an update");
        return invalid(type.qualifiedPlural(), name, List.of(missing)).about(type, name);
    }

    public static StatusException invalid(ResourceType type, String name, List<StatusCause> causes) {
        return invalid(type.qualifiedKind(), name, causes).about(type.group(), type.kind(), name);
    }

    private static StatusException invalid(String what, String name, List<StatusCause> causes) {
        List<String> faults = causes.stream()
                .map(cause -> cause.field() + ": " + cause.message())
                .toList();
        String all =
                faults.size() == 1 ? faults.getFirst() : faults.stream().collect(Collectors.joining(", ", "[", "]"));
        StatusException refusal = of(422, "Invalid", what + " \"" + name + "\" is invalid: " + all);
        var list = refusal.details().putArray("causes");
        for (StatusCause cause : causes) {
            list.addObject()
                    .put("reason", cause.reason())
                    .put("message", cause.message())
                    .put("field", cause.field());
        }
        return refusal;
    }

    /** An answer with this HTTP status code that a test asked for, worded as the real server words it. */
    public static StatusException injected(
            int code, Optional<ResourceType> type, String name, OptionalInt retryAfterSeconds) {
        String injected = "fault injected by a test";
        StatusException refusal = switch (code) {
            case 401 -> unauthorized();
            case 403 ->
                type.map(t -> forbidden(t, name, injected))
                        .orElseGet(() -> of(403, "Forbidden", "forbidden: " + injected));
            case 404 ->
                type.map(t -> notFound(t, name))
                        .orElseGet(() -> of(404, "NotFound", "the server could not find the requested resource"));
            case 409 -> type.map(t -> conflict(t, name, MODIFIED)).orElseGet(() -> of(409, "Conflict", MODIFIED));
            case 410 -> of(410, "Expired", "The resourceVersion for the provided watch is too old.");
            case 429 -> of(429, "TooManyRequests", "Too many requests, please try again later.");
            case 500 -> of(500, "InternalError", "Internal error occurred: " + injected);
            case 503 -> of(503, "ServiceUnavailable", "the server is currently unable to handle the request");
            case 504 -> of(504, "Timeout", "Timeout: request did not complete within requested timeout");
            default -> of(code, "", injected);
        };
        retryAfterSeconds.ifPresent(seconds -> refusal.details().put("retryAfterSeconds", seconds));
        return new StatusException(refusal.status, retryAfterSeconds);
    }

    private StatusException about(ResourceType type, String name) {
        return about(type.group(), type.plural(), name);
    }

    /** The same refusal with details; an empty name or group is left out. */
    public StatusException about(String group, String kind, String name) {
        if (!name.isEmpty()) {
            details().put("name", name);
        }
        if (!group.isEmpty()) {
            details().put("group", group);
        }
        details().put("kind", kind);
        return this;
    }

    private ObjectNode details() {
        return Json.child(status, "details");
    }
}
