package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.UnreadableException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reviews of others have their own rate limit: a sender of wrong tokens must not delay the agent's own calls. */
final class HttpReviews implements Reviews {

    private static final int AT_ONCE = 4;
    private static final double PER_SECOND = 10;
    private static final int BURST = 20;
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final int LONGEST_REASON = 16 << 10;

    private static final Decoder<Optional<User>> OWNER = new Decoder<>(
            FieldSelection.of("status.authenticated", "status.user.username,uid,groups[],extra.*[]"),
            HttpReviews::owner);

    private static final Decoder<Boolean> ALLOWED =
            new Decoder<>(FieldSelection.of("status.allowed"), HttpReviews::allowed);

    private static final Decoder<ReviewResult> VERDICT = new Decoder<>(
            FieldSelection.of("status.allowed,reason").longest(LONGEST_REASON, "status.reason"), HttpReviews::verdict);

    private final Resource<Optional<User>> tokens;
    private final Resource<Boolean> subjects;
    private final Resource<ReviewResult> own;

    /** {@code calls} limits the reviews of this client's own identity. */
    HttpReviews(Transport transport, RateLimiter calls) {
        var limiter = RateLimiter.paced(AT_ONCE, PER_SECOND, BURST);
        this.tokens = new Resource<>(transport, limiter, Resource.AUTHENTICATION, "TokenReview", OWNER)
                .called("a TokenReview")
                .within(LIMIT);
        this.subjects = new Resource<>(transport, limiter, Resource.AUTHORIZATION, "SubjectAccessReview", ALLOWED)
                .called("a SubjectAccessReview")
                .within(LIMIT);
        this.own = new Resource<>(transport, calls, Resource.AUTHORIZATION, "SelfSubjectAccessReview", VERDICT);
    }

    @Override
    public Optional<User> owner(String token) throws ApiException {
        ObjectNode review = Resource.AUTHENTICATION.object("TokenReview");
        review.putObject("spec").put("token", token);
        return tokens.create("", "", review);
    }

    private static Optional<User> owner(FieldValues review) throws UnreadableException {
        if (review.count("status") == 0) {
            throw new UnreadableException("no status");
        }
        // The server omits the field if it is false.
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
        ObjectNode review = Resource.AUTHORIZATION.object("SubjectAccessReview");
        ObjectNode spec = review.putObject("spec").put("user", user.name()).put("uid", user.uid());
        user.groups().forEach(spec.putArray("groups")::add);
        ObjectNode extra = spec.putObject("extra");
        user.extra().forEach((key, values) -> values.forEach(extra.putArray(key)::add));
        spec.putObject("nonResourceAttributes").put("path", path).put("verb", "get");
        return subjects.create("", "", review);
    }

    private static boolean allowed(FieldValues review) throws UnreadableException {
        if (!review.isFlag("status.allowed")) {
            throw new UnreadableException("no status.allowed");
        }
        return review.isTrue("status.allowed");
    }

    @Override
    public ReviewResult may(AccessRule rule) throws ApiException {
        ObjectNode review = Resource.AUTHORIZATION.object("SelfSubjectAccessReview");
        ObjectNode attributes = review.putObject("spec").putObject("resourceAttributes");
        attributes.put("verb", rule.verb()).put("group", rule.group()).put("resource", rule.resource());
        rule.namespace().ifPresent(space -> attributes.put("namespace", space));
        rule.name().ifPresent(name -> attributes.put("name", name));
        rule.ofNode()
                .ifPresent(node -> attributes
                        .putObject("fieldSelector")
                        .putArray("requirements")
                        .addObject()
                        .put("key", "spec.nodeName")
                        .put("operator", "In")
                        .putArray("values")
                        .add(node));
        return own.called("SelfSubjectAccessReview of \"" + rule.text() + "\"").create("", "", review);
    }

    private static ReviewResult verdict(FieldValues review) throws UnreadableException {
        if (allowed(review)) {
            return new ReviewResult.Allowed();
        }
        String reason = review.text("status.reason");
        return Denial.ofUnrelated(reason) ? new ReviewResult.AllowedOfOwnNode() : new ReviewResult.Denied(reason);
    }
}
