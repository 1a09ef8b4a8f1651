package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Permissions;

/** Permissions by SelfSubjectAccessReview, {@code authorization.k8s.io/v1}. */
final class HttpPermissions implements Permissions {

    private static final String GROUP = "authorization.k8s.io";
    private static final String PLURAL = "selfsubjectaccessreviews";

    /** What the Node authorizer says of an object that nothing ties to the node; {@code node_authorizer.go}. */
    private static final String NO_RELATIONSHIP = "no relationship found between node";

    private static final Decoder<Verdict> VERDICT =
            new Decoder<>(WantedFields.of("status.allowed", "status.reason"), HttpPermissions::verdict);

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
        return transport.call(call, limiter, VERDICT);
    }

    private static Verdict verdict(Fields review) throws UnreadableException {
        if (!review.isFlag("status.allowed")) {
            throw new UnreadableException("no status.allowed");
        }
        if (review.isTrue("status.allowed")) {
            return new Verdict.Allowed();
        }
        String reason = review.text("status.reason");
        return reason.contains(NO_RELATIONSHIP) ? new Verdict.AllowedOfOwnNode() : new Verdict.Denied(reason);
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
