package io.imexagent.kubernetes.http;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who in the API server refused a call that it understood, and why: the authorizer, which comes first, or admission. Read
 * from the causes of the server's {@code Status} where they say it, else from how its message begins: names in it, and what
 * follows a policy's own words, may be a tenant's.
 */
sealed interface Denial {

    /** The namespace is being deleted, so nothing is created there; {@code plugin/namespace/lifecycle/admission.go}. */
    record NamespaceEnding() implements Denial {}

    /** A ResourceQuota of the namespace, by its name where the message has it; {@code plugin/resourcequota/controller.go}. */
    record Quota(Optional<String> name) implements Denial {}

    /** An admission policy of this name. */
    record PolicyDenial(String name) implements Denial {}

    /** An admission webhook of this name. */
    record Webhook(String name) implements Denial {}

    /**
     * The Node authorizer or the admission plugin NodeRestriction, to whoever has another node's identity: that node's
     * name where the message has it.
     */
    record OtherNode(Optional<String> identity) implements Denial {}

    /** The admission plugin NodeRestriction: what no node may do. */
    record NodeRestriction() implements Denial {}

    /** The Node authorizer: no pod on this node (yet) leads to the object. */
    record NoRelationship() implements Denial {}

    /** No rule allows it to this user. */
    record MissingRule(String user) implements Denial {}

    /** Something else in the server; an answer without a {@code Status} is {@code silent}, and may be a proxy's. */
    record OtherDenial(boolean silent) implements Denial {}

    /** What the names of kubelets begin with, before that of the node. */
    String OF_NODE = "system:node:";

    /** What the Node authorizer says of an object that nothing ties to the node; {@code node_authorizer.go}. */
    String NO_RELATIONSHIP = "no relationship found between node";

    /** The cause of a refusal in a namespace that is being deleted. */
    String NAMESPACE_TERMINATING = "NamespaceTerminating";

    /** Names are shorter: what stands behind this decides nothing. */
    int READ = 2048;

    Pattern BEGINNING = Pattern.compile("^(?:[a-z0-9.-]{1,320}(?: \"[^\"]{0,600}\")? is )?forbidden: ");
    Pattern POLICY = Pattern.compile("^(?:ValidatingAdmissionPolicy|MutatingAdmissionPolicy|policy) '([^']{1,253})'"
            + "(?: with binding '[^']{0,253}')? denied request");
    Pattern WEBHOOK = Pattern.compile("^admission webhook \"([^\"]{1,253})\" denied the request");
    Pattern QUOTA =
            Pattern.compile("^(?:(?:exceeded quota|failed quota|status unknown for quota): ([a-z0-9.-]{1,253})[,:]"
                    + "|insufficient quota to )");
    Pattern NOT_THIS_NODE = Pattern.compile("^(?:node \"([^\"]{1,253})\" is not allowed to modify node \""
            + "|can only (?:access|create|delete) \\w+ with the same \\w+ as the requesting node)");
    Pattern RESTRICTED = Pattern.compile("^(?:node \"[^\"]{1,253}\" (?:is not allowed to|can only|cannot) "
            + "|(?:is )?not allowed to (?:modify|set) |could not determine node from user )");
    Pattern DENIED = Pattern.compile("^User \"((?:[^\"\\\\]|\\\\.){1,1024})\" cannot [a-z]+ (.*)");
    Pattern NODES_OF_OTHERS = Pattern.compile("node '[^']*' cannot read '[^']*', only its own Node object"
            + "|can only list/watch/deletecollection resourceslices with nodeName field selector");

    /** What is a name in a message of the authorizer, as Go quotes it. */
    Pattern QUOTED = Pattern.compile("\"(?:[^\"\\\\]|\\\\.){0,1024}\"");

    /** Why the server answered 403. */
    static Denial of(String message, List<String> causes) {
        if (causes.contains(NAMESPACE_TERMINATING)) {
            return new NamespaceEnding();
        }
        String why = why(message);
        Matcher denied = DENIED.matcher(why);
        if (denied.find()) {
            return byAuthorizer(denied.group(1), denied.group(2));
        }
        return byAdmission(message).or(() -> byPlugin(why)).orElse(new OtherDenial(message.isEmpty()));
    }

    /** The policy or webhook that refused a call; such an answer may have any code. */
    static Optional<Denial> byAdmission(String message) {
        String why = why(message);
        return first(POLICY, why)
                .<Denial>map(PolicyDenial::new)
                .or(() -> first(WEBHOOK, why).map(Webhook::new));
    }

    /** Whether the authorizer says that nothing ties an object to the node, and lacks no rule. */
    static boolean ofUnrelated(String reason) {
        return unquoted(reason).contains(NO_RELATIONSHIP);
    }

    private static Denial byAuthorizer(String user, String reason) {
        if (ofUnrelated(reason)) {
            return new NoRelationship();
        }
        return NODES_OF_OTHERS.matcher(unquoted(reason)).find()
                ? new OtherNode(Optional.of(user.replace(OF_NODE, "")))
                : new MissingRule(user);
    }

    private static Optional<Denial> byPlugin(String why) {
        Matcher quota = QUOTA.matcher(why);
        if (quota.find()) {
            return Optional.of(new Quota(Optional.ofNullable(quota.group(1))));
        }
        Matcher other = NOT_THIS_NODE.matcher(why);
        if (other.find()) {
            return Optional.of(new OtherNode(Optional.ofNullable(other.group(1))));
        }
        return RESTRICTED.matcher(why).find() ? Optional.of(new NodeRestriction()) : Optional.empty();
    }

    private static String why(String message) {
        String read = message.substring(0, Math.min(message.length(), READ));
        return BEGINNING.matcher(read).replaceFirst("");
    }

    private static String unquoted(String text) {
        return QUOTED.matcher(text.substring(0, Math.min(text.length(), READ))).replaceAll("");
    }

    private static Optional<String> first(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find() ? Optional.of(found.group(1)) : Optional.empty();
    }
}
