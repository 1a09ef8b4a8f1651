package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.Authenticator;
import io.imexagent.testing.api.access.Authorizer;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.ResourceRequest;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.Selector;
import io.imexagent.testing.api.object.StatusException;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reviews: questions that are put as objects, of which nothing is stored. Every authenticated identity may ask what it
 * may do itself (the ClusterRole {@code system:basic-user}); whose a token is and what others may do, kubelets may ask.
 */
final class AccessReviews {

    private static final String AUTHORIZATION = "/apis/authorization.k8s.io/v1/";
    private static final String SELF = AUTHORIZATION + "selfsubjectaccessreviews";
    private static final String SUBJECT = AUTHORIZATION + "subjectaccessreviews";
    private static final String TOKEN = "/apis/authentication.k8s.io/v1/tokenreviews";
    private static final String AUTHENTICATED = "system:authenticated";

    private final Authenticator authenticator;
    private final Authorizer authorizer;

    AccessReviews(Authenticator authenticator, Authorizer authorizer) {
        this.authenticator = authenticator;
        this.authorizer = authorizer;
    }

    static boolean at(String path) {
        return path.equals(SELF) || path.equals(SUBJECT) || path.equals(TOKEN);
    }

    HttpAnswer answer(ServerExchange exchange, UserIdentity identity) {
        if (!exchange.method().equals("POST")) {
            throw StatusException.methodNotAllowed();
        }
        String path = exchange.path();
        String[] parts = path.split("/", -1);
        if (!path.equals(SELF) && !authorizer.mayReview(identity, parts[4])) {
            throw StatusException.of(
                            403,
                            "Forbidden",
                            parts[4] + "." + parts[2] + " is forbidden: User \"" + identity.user()
                                    + "\" cannot create resource \"" + parts[4] + "\" in API group \"" + parts[2]
                                    + "\" at the cluster scope")
                    .about(parts[2], parts[4], "");
        }
        ObjectNode review = Json.sent(exchange.body());
        JsonNode spec = review.path("spec");
        review.withObject("/metadata");
        ObjectNode status = review.putObject("status");
        if (path.equals(TOKEN)) {
            owner(spec.path("token").asText(), status);
        } else {
            access(path.equals(SELF) ? identity : subject(spec), spec, status);
        }
        return HttpAnswer.json(201, review);
    }

    private void owner(String token, ObjectNode status) {
        ObjectNode user = status.putObject("user");
        authenticator
                .byToken(token)
                .ifPresentOrElse(
                        known -> {
                            status.put("authenticated", true);
                            ArrayNode groups = user.put("username", known.user())
                                    .putArray("groups")
                                    .add(AUTHENTICATED);
                            known.groups().forEach(groups::add);
                        },
                        () -> status.put("error", "invalid bearer token"));
    }

    private static UserIdentity subject(JsonNode spec) {
        return new UserIdentity(
                spec.path("user").asText(),
                spec.path("groups").valueStream().map(JsonNode::asText).collect(Collectors.toSet()));
    }

    private void access(UserIdentity identity, JsonNode spec, ObjectNode status) {
        JsonNode resource = spec.path("resourceAttributes");
        JsonNode other = spec.path("nonResourceAttributes");
        if (resource.isObject() == other.isObject()) {
            throw StatusException.badRequest(
                    "spec.resourceAttributes: Required value: exactly one of nonResourceAttributes or"
                            + " resourceAttributes must be specified");
        }
        Optional<String> objection =
                resource.isObject() ? objection(identity, resource) : pathObjection(identity, other);
        status.put("allowed", objection.isEmpty());
        objection.filter(text -> !text.isEmpty()).ifPresent(text -> status.put("reason", text));
    }

    private Optional<String> pathObjection(UserIdentity identity, JsonNode asked) {
        boolean allowed = asked.path("verb").asText().equals("get")
                && authorizer.mayGet(identity, asked.path("path").asText());
        return allowed ? Optional.empty() : Optional.of("");
    }

    /** A resource or a verb that the double does not know is one that nobody may. */
    private Optional<String> objection(UserIdentity identity, JsonNode asked) {
        String plural = asked.path("resource").asText();
        if (asked.path("verb").asText().equals("create")
                && (plural.equals("tokenreviews") || plural.equals("subjectaccessreviews"))) {
            return authorizer.mayReview(identity, plural) ? Optional.empty() : Optional.of("");
        }
        Optional<ResourceType> type = ResourceType.ofGroup(asked.path("group").asText()).stream()
                .filter(known -> known.plural().equals(plural))
                .findFirst();
        Optional<RequestVerb> verb = Stream.of(RequestVerb.values())
                .filter(known -> known.text().equals(asked.path("verb").asText()))
                .findFirst();
        if (type.isEmpty() || verb.isEmpty()) {
            return Optional.of("");
        }
        Selector fields = fields(type.get(), asked.path("fieldSelector"));
        return authorizer.objection(
                identity,
                new ResourceRequest(
                        verb.get(),
                        type.get(),
                        asked.path("namespace").asText(),
                        asked.path("name").asText(),
                        asked.path("subresource").asText(),
                        fields));
    }

    /** Requirements of one value each are what a selector can demand. */
    private static Selector fields(ResourceType type, JsonNode selector) {
        String demanded = selector.path("requirements")
                .valueStream()
                .filter(requirement -> requirement.path("operator").asText().equals("In")
                        && requirement.path("values").size() == 1)
                .map(requirement -> requirement.path("key").asText() + "="
                        + requirement.path("values").path(0).asText())
                .collect(Collectors.joining(","));
        return Selector.ofFields(type, demanded);
    }
}
