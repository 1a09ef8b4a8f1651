package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.Authorizer;
import io.imexagent.testing.api.access.Identity;
import io.imexagent.testing.api.access.ResourceRequest;
import io.imexagent.testing.api.access.Verb;
import io.imexagent.testing.api.http.Exchange;
import io.imexagent.testing.api.object.FieldSelector;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.Refusal;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * SelfSubjectAccessReviews: an identity asks what it may do, and nothing is stored. Every authenticated one may ask (the
 * ClusterRole {@code system:basic-user}).
 */
final class AccessReviews {

    static final String PATH = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

    private final Authorizer authorizer;

    AccessReviews(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    Answer answer(Exchange exchange, Identity identity) {
        if (!exchange.method().equals("POST")) {
            throw Refusal.methodNotAllowed();
        }
        ObjectNode review = body(exchange);
        JsonNode asked = review.path("spec").path("resourceAttributes");
        if (!asked.isObject()) {
            throw Refusal.badRequest("spec.resourceAttributes: Required value: exactly one of nonResourceAttributes or"
                    + " resourceAttributes must be specified");
        }
        Optional<String> objection = objection(identity, asked);
        ObjectNode status = review.putObject("status").put("allowed", objection.isEmpty());
        objection.filter(text -> !text.isEmpty()).ifPresent(text -> status.put("reason", text));
        return Answer.created(Json.bytes(review));
    }

    /** A resource or a verb that the double does not know is one that nobody may. */
    private Optional<String> objection(Identity identity, JsonNode asked) {
        Optional<ResourceType> type = Stream.of(ResourceType.values())
                .filter(known -> known.group().equals(asked.path("group").asText())
                        && known.plural().equals(asked.path("resource").asText()))
                .findFirst();
        Optional<Verb> verb = Stream.of(Verb.values())
                .filter(known -> known.text().equals(asked.path("verb").asText()))
                .findFirst();
        if (type.isEmpty() || verb.isEmpty()) {
            return Optional.of("");
        }
        return authorizer.objection(
                identity,
                new ResourceRequest(
                        verb.get(),
                        type.get(),
                        asked.path("namespace").asText(),
                        asked.path("name").asText(),
                        asked.path("subresource").asText(),
                        fields(type.get(), asked.path("fieldSelector"))));
    }

    /** Requirements of one value each are what a selector can demand. */
    private static FieldSelector fields(ResourceType type, JsonNode selector) {
        List<String> demanded = new ArrayList<>();
        for (JsonNode requirement : selector.path("requirements")) {
            if (requirement.path("operator").asText().equals("In")
                    && requirement.path("values").size() == 1) {
                demanded.add(requirement.path("key").asText() + "="
                        + requirement.path("values").path(0).asText());
            }
        }
        return demanded.isEmpty() ? FieldSelector.ALL : FieldSelector.parse(type, String.join(",", demanded));
    }

    private static ObjectNode body(Exchange exchange) {
        try {
            if (Json.parse(exchange.body()) instanceof ObjectNode object) {
                return object;
            }
        } catch (IOException e) {
            throw Refusal.badRequest("the object provided is unrecognized: " + e.getMessage());
        }
        throw Refusal.badRequest("the object provided is unrecognized (must be of type Object)");
    }
}
