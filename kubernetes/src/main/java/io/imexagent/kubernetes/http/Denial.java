package io.imexagent.kubernetes.http;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which part of the API server denied a call, and why: the authorizer, which runs first, or admission. This is read
 * from the causes of the server's {@code Status} if it has them, otherwise from the beginning of its message. Names in
 * the message, and the text after a policy's prefix, may come from a tenant.
 */
sealed interface Denial {

    /** The namespace is being deleted, so nothing is created there; {@code plugin/namespace/lifecycle/admission.go}. */
    record NamespaceEnding() implements Denial {}

    /**
     * A ResourceQuota of the namespace, with its name if the message has it; {@code
     * plugin/resourcequota/controller.go}.
     */
    record Quota(Optional<String> name) implements Denial {}

    /** The admission policy of this name. */
    record PolicyDenial(String name) implements Denial {}

    /** The admission webhook of this name. */
    record Webhook(String name) implements Denial {}

    /**
     * The Node authorizer or the admission plugin NodeRestriction, because the identity belongs to another node; with
     * that node's name if the message has it.
     */
    record OtherNode(Optional<String> identity) implements Denial {}

    /** The admission plugin NodeRestriction, because no node may do this. */
    record NodeRestriction() implements Denial {}

    /** The Node authorizer, because no pod on this node refers to the object, or none does yet. */
    record NoRelationship() implements Denial {}

    /** No RBAC rule allows the call to this user. */
    record MissingRule(String user) implements Denial {}

    /** Another part of the server. A response without a {@code Status} is {@code silent}, and may come from a proxy. */
    record OtherDenial(boolean silent) implements Denial {}

    /** The prefix of kubelets' user names, before the node's name. */
    String OF_NODE = "system:node:";

    /** The Node authorizer's message about an object that is not related to the node; {@code node_authorizer.go}. */
    String NO_RELATIONSHIP = "no relationship found between node";

    /** The cause of a denial in a namespace that is being deleted. */
    String NAMESPACE_TERMINATING = "NamespaceTerminating";

    /** The number of characters of a message that are read. Names are shorter, and no decision depends on the rest. */
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

    /** A name in a message of the authorizer, as Go quotes it. */
    Pattern QUOTED = Pattern.compile("\"(?:[^\"\\\\]|\\\\.){0,1024}\"");

    /** Determines why the server responded 403. */
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

    /** The policy or webhook that denied a call; such a response may have any code. */
    static Optional<Denial> byAdmission(String message) {
        String why = why(message);
        return first(POLICY, why)
                .<Denial>map(PolicyDenial::new)
                .or(() -> first(WEBHOOK, why).map(Webhook::new));
    }

    /**
     * Whether the Node authorizer's reason is that the object is not related to the node, rather than a missing rule.
     */
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
