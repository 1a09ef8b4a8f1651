package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.json.JsonTrees;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reviews by calls that have a pace of their own, and take nobody else's place: whoever sends tokens that are nobody's
 * must neither delay the agent's own calls nor burden the API server.
 */
final class HttpReviews implements Reviews {

    private static final int AT_ONCE = 4;
    private static final double PER_SECOND = 10;
    private static final int BURST = 20;
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final Resource.Group AUTHENTICATION = new Resource.Group("authentication.k8s.io", "v1");

    private static final Decoder<Optional<User>> OWNER = new Decoder<>(
            WantedFields.of(
                    "status.authenticated",
                    "status.user.username",
                    "status.user.uid",
                    "status.user.groups[]",
                    "status.user.extra.*[]"),
            HttpReviews::owner);

    private static final Decoder<Boolean> ALLOWED =
            new Decoder<>(WantedFields.of("status.allowed"), HttpReviews::allowed);

    private final Resource tokens;
    private final Resource subjects;

    HttpReviews(Transport transport) {
        var limiter = RateLimiter.paced(AT_ONCE, PER_SECOND, BURST);
        this.tokens = new Resource(transport, limiter, "a TokenReview", AUTHENTICATION, "tokenreviews").within(LIMIT);
        this.subjects = new Resource(
                        transport, limiter, "a SubjectAccessReview", Resource.AUTHORIZATION, "subjectaccessreviews")
                .within(LIMIT);
    }

    @Override
    public Optional<User> owner(String token) throws ApiException {
        ObjectNode review = JsonTrees.object();
        review.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
        review.putObject("spec").put("token", token);
        return tokens.create("", "", review, OWNER);
    }

    private static Optional<User> owner(Fields review) throws UnreadableException {
        if (review.count("status") == 0) {
            throw new UnreadableException("no status");
        }
        // Left out where it is false.
        if (!review.isTrue("status.authenticated")) {
            return Optional.empty();
        }
        Map<String, List<String>> extra = new HashMap<>();
        review.each("status.user.extra").forEach(field -> extra.put(field.name(), field.texts("")));
        return Optional.of(new User(
                review.required("status.user.username"),
                review.text("status.user.uid"),
                review.texts("status.user.groups"),
                extra));
    }

    @Override
    public boolean mayGet(User user, String path) throws ApiException {
        ObjectNode review = JsonTrees.object();
        review.put("apiVersion", "authorization.k8s.io/v1").put("kind", "SubjectAccessReview");
        ObjectNode spec = review.putObject("spec").put("user", user.name()).put("uid", user.uid());
        user.groups().forEach(spec.putArray("groups")::add);
        ObjectNode extra = spec.putObject("extra");
        user.extra().forEach((key, values) -> {
            ArrayNode texts = extra.putArray(key);
            values.forEach(texts::add);
        });
        spec.putObject("nonResourceAttributes").put("path", path).put("verb", "get");
        return subjects.create("", "", review, ALLOWED);
    }

    private static boolean allowed(Fields review) throws UnreadableException {
        if (!review.isFlag("status.allowed")) {
            throw new UnreadableException("no status.allowed");
        }
        return review.isTrue("status.allowed");
    }
}
