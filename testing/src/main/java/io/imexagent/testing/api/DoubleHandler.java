package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.Identity;
import io.imexagent.testing.api.access.Verb;
import io.imexagent.testing.api.http.Exchange;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.StatusException;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The double's own paths, for tests that run it as a process: faults to inject, actions, the request log. Only members
 * of {@code system:masters} may use them.
 */
final class DoubleHandler {
    /** What the paths act upon. */
    interface Target {
        /** Injects a fault. */
        void inject(FaultMatch match, FaultAction action, int times);

        /** Ends all faults. */
        void clearFaults();

        /** Cuts all watches and says how many there were. */
        int dropWatches();

        /** Forgets the history. */
        void compact();

        /** Is gone for that long, from a moment after the answer. */
        void goneFor(Duration time);

        /** Puts objects there. */
        void apply(JsonNode objects);

        /** Removes the slices of a node, as the kubelet does, and says how many there were. */
        int deleteSlicesOfNode(String node);
    }

    private final Target target;
    private final RequestLog log;

    DoubleHandler(Target target, RequestLog log) {
        this.target = target;
        this.log = log;
    }

    Answer handle(Exchange exchange, Optional<Identity> identity) {
        Identity user = identity.orElseThrow(StatusException::unauthorized);
        String method = exchange.method();
        if (!user.groups().contains(Identity.MASTERS)) {
            throw StatusException.forbiddenPath(user.user(), method.toLowerCase(Locale.ROOT), exchange.path());
        }
        return switch (method + " " + exchange.path()) {
            case "POST /double/faults" -> inject(body(exchange));
            case "DELETE /double/faults" -> {
                target.clearFaults();
                yield done(0);
            }
            case "POST /double/actions" -> act(body(exchange));
            case "POST /double/objects" -> {
                target.apply(body(exchange));
                yield done(0);
            }
            case "GET /double/requests" -> requests();
            case "DELETE /double/requests" -> {
                log.clear();
                yield done(0);
            }
            default -> Answer.text(404, "404 page not found\n");
        };
    }

    private Answer inject(ObjectNode body) {
        FaultMatch match = new FaultMatch(
                text(body, "verb").map(v -> Verb.valueOf(v.toUpperCase(Locale.ROOT))),
                text(body, "resource"),
                text(body, "name"),
                text(body, "user"));
        target.inject(match, action(body), body.path("times").asInt(1));
        return done(0);
    }

    private static FaultAction action(ObjectNode body) {
        String action = body.path("action").asText("answer");
        return switch (action) {
            case "answer" ->
                new FaultAction.Answer(
                        body.path("code").asInt(500),
                        body.has("retryAfterSeconds")
                                ? OptionalInt.of(body.path("retryAfterSeconds").asInt())
                                : OptionalInt.empty());
            case "delay" ->
                new FaultAction.Delay(
                        Duration.ofMillis(body.path("milliseconds").asLong()));
            case "hang" -> new FaultAction.Hang();
            case "drop" -> new FaultAction.Drop();
            default -> throw StatusException.badRequest("action must be answer, delay, hang or drop, not " + action);
        };
    }

    private Answer act(ObjectNode body) {
        String action = body.path("action").asText("");
        return switch (action) {
            case "dropWatches" -> done(target.dropWatches());
            case "compact" -> {
                target.compact();
                yield done(0);
            }
            case "gone" -> {
                target.goneFor(Duration.ofMillis(body.path("milliseconds").asLong(1000)));
                yield done(0);
            }
            case "deleteSlices" ->
                done(target.deleteSlicesOfNode(body.path("node").asText("")));
            default ->
                throw StatusException.badRequest(
                        "action must be dropWatches, compact, gone or deleteSlices, not " + action);
        };
    }

    private Answer requests() {
        ObjectNode document = Json.object();
        ObjectNode counts = document.putObject("counts");
        log.counts().forEach(counts::put);
        ObjectNode answers = document.putObject("answers");
        log.answers().forEach((code, count) -> answers.put(Integer.toString(code), count));
        var recent = document.putArray("recent");
        for (LoggedRequest request : log.recent()) {
            recent.addObject()
                    .put("number", request.number())
                    .put("at", request.at().toString())
                    .put("verb", request.verb())
                    .put("resource", request.resource())
                    .put("namespace", request.namespace())
                    .put("name", request.name())
                    .put("user", request.user())
                    .put("path", request.path());
        }
        return Answer.ok(document);
    }

    private static Answer done(int count) {
        return Answer.ok(Json.object().put("done", true).put("count", count));
    }

    private static ObjectNode body(Exchange exchange) {
        try {
            if (Json.parse(exchange.body()) instanceof ObjectNode object) {
                return object;
            }
        } catch (IOException e) {
            throw StatusException.badRequest("not JSON: " + e.getMessage());
        }
        throw StatusException.badRequest("the body must be a JSON object");
    }

    private static Optional<String> text(ObjectNode body, String field) {
        return Optional.ofNullable(body.get(field)).map(JsonNode::asText);
    }
}
