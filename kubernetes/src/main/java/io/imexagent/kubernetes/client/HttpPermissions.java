package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Permissions;
import java.io.IOException;

/** Permissions by SelfSubjectAccessReview, {@code authorization.k8s.io/v1}. */
final class HttpPermissions implements Permissions {

    private static final String GROUP = "authorization.k8s.io";
    private static final String PLURAL = "selfsubjectaccessreviews";

    /** What the Node authorizer says of an object that nothing ties to the node; {@code node_authorizer.go}. */
    private static final String NO_RELATIONSHIP = "no relationship found between node";

    private final Transport transport;
    private final RateLimiter limiter;

    HttpPermissions(Transport transport, RateLimiter limiter) {
        this.transport = transport;
        this.limiter = limiter;
    }

    @Override
    public Verdict may(Rule rule) throws ApiException {
        Call call = Call.of(
                Call.Verb.CREATE,
                new Call.Target(GROUP, PLURAL, "SelfSubjectAccessReview of \"" + rule.text() + "\"", ""),
                "/apis/" + GROUP + "/v1/" + PLURAL,
                new Call.Body("application/json", Json.text(review(rule))));
        Answer.Done answer = transport.call(call, limiter);
        try {
            JsonNode status = Json.tree(answer.body()).path("status");
            if (!status.path("allowed").isBoolean()) {
                throw new IOException("a review without status.allowed");
            }
            String reason = status.path("reason").asText();
            if (status.path("allowed").booleanValue()) {
                return new Verdict.Allowed();
            }
            return reason.contains(NO_RELATIONSHIP) ? new Verdict.AllowedOfOwnNode() : new Verdict.Denied(reason);
        } catch (IOException e) {
            throw new ApiException(ApiFailures.unreadable(call, answer.server(), e), e);
        }
    }

    private static ObjectNode review(Rule rule) {
        ObjectNode review = Json.object();
        review.put("apiVersion", GROUP + "/v1").put("kind", "SelfSubjectAccessReview");
        ObjectNode asked = review.putObject("spec").putObject("resourceAttributes");
        asked.put("verb", rule.verb()).put("group", rule.group()).put("resource", rule.resource());
        rule.namespace().ifPresent(space -> asked.put("namespace", space));
        rule.name().ifPresent(name -> asked.put("name", name));
        rule.ofNode()
                .ifPresent(node -> asked.putObject("fieldSelector")
                        .putArray("requirements")
                        .addObject()
                        .put("key", "spec.nodeName")
                        .put("operator", "In")
                        .putArray("values")
                        .add(node));
        return review;
    }
}
