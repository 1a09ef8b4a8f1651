package io.imexagent.agent.check;

import static io.imexagent.core.check.CheckResult.failure;
import static io.imexagent.core.check.CheckResult.ok;
import static io.imexagent.core.check.CheckResult.warning;

import io.imexagent.core.check.CheckResult;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.Reviews.Rule;
import io.imexagent.kubernetes.Reviews.Verdict;
import io.imexagent.kubernetes.clique.FabricObjects;
import java.util.ArrayList;
import java.util.List;

/** Whether the API server grants what a serving agent does, rule by rule. */
record PermissionChecks(Reviews reviews, String nodeName, ApiChecks.Use use) {

    static final String ID = "permissions";

    private static final String DRA = "resource.k8s.io";

    /** Nothing has it: a Node authorizer says then that the object is not tied to the node, not that a rule lacks. */
    private static final String NO_OBJECT = "imex-agent-check";

    /** Serving goes on without it. The Node authorizer grants it to each kubelet, in every namespace. */
    private static final Rule EVENTS = Rule.on("create", "", "events").in(Events.NAMESPACE);

    /** Only claims that move a network interface need it. The Node authorizer grants it for the node's own pods. */
    private static final Rule PODS = Rule.on("get", "", "pods").named(NO_OBJECT);

    /** Serving goes on without them. The Node authorizer grants them to each kubelet. */
    private static final List<Rule> REVIEWS = List.of(
            Rule.on("create", "authentication.k8s.io", "tokenreviews"),
            Rule.on("create", "authorization.k8s.io", "subjectaccessreviews"));

    /** One result for each rule that is missing, or one for all where none is. */
    List<CheckResult> run() throws ApiException {
        List<Rule> rules = rules();
        var missing = new ArrayList<CheckResult>();
        for (Rule rule : rules) {
            switch (reviews.may(rule)) {
                case Verdict.Allowed allowed -> {}
                case Verdict.AllowedOfOwnNode allowed -> {}
                case Verdict.Denied denied -> missing.add(missing(rule, denied));
            }
        }
        return missing.isEmpty()
                ? List.of(ok(ID, "all " + rules.size() + " rules that serving uses are granted"))
                : List.copyOf(missing);
    }

    private static CheckResult missing(Rule rule, Verdict.Denied denied) {
        String message = "this identity may not " + rule.text()
                + (denied.reason().isBlank() ? "" : " (" + denied.reason() + ")");
        if (rule.equals(EVENTS)) {
            return warning(
                    ID,
                    message + ": changes of nvidia-imex are not recorded as Events of the Node",
                    "grant the user of kubernetes.kubeconfig \"create\" on \"events\" (apiGroups: [\"\"]) by a Role"
                            + " in namespace " + Events.NAMESPACE + ", which a kubelet's own identity has without"
                            + " one; or set imex.health.nodeEvents to false");
        }
        if (REVIEWS.contains(rule)) {
            return warning(
                    ID,
                    message + ": /inventory is shown on this host only",
                    "bind the ClusterRole system:auth-delegator to the user of kubernetes.kubeconfig, or use the"
                            + " identity of this node's own kubelet, which needs no binding");
        }
        return rule.equals(PODS)
                ? warning(
                        ID,
                        message + ": claims for RDMA NICs in mode Netdev are refused",
                        "use the identity of this node's own kubelet, or grant the user of kubernetes.kubeconfig"
                                + " \"get\" on \"pods\" (apiGroups: [\"\"])")
                : failure(
                        ID,
                        message,
                        "grant that rule: bind the ClusterRole imex-agent to the group system:nodes, or to the user of"
                                + " kubernetes.kubeconfig");
    }

    private List<Rule> rules() {
        var rules = new ArrayList<>(List.of(
                Rule.on("list", DRA, "resourceslices").ofNode(nodeName),
                Rule.on("watch", DRA, "resourceslices").ofNode(nodeName),
                Rule.on("create", DRA, "resourceslices"),
                Rule.on("update", DRA, "resourceslices").named(NO_OBJECT),
                Rule.on("delete", DRA, "resourceslices").named(NO_OBJECT),
                Rule.on("get", DRA, "resourceclaims").named(NO_OBJECT),
                Rule.on("get", "", "nodes").named(nodeName)));
        if (use.channels()) {
            rules.add(
                    rules.size() - 1,
                    Rule.on("get", "resource.nvidia.com", "computedomains").named(NO_OBJECT));
            rules.add(rules.size() - 1, Rule.on("list", "resource.nvidia.com", "computedomains"));
        }
        if (use.holding()) {
            for (String verb : List.of("list", "watch", "create")) {
                rules.add(Rule.on(verb, FabricObjects.GROUP, "nvlinknodes"));
            }
            for (String verb : List.of("get", "update")) {
                rules.add(Rule.on(verb, FabricObjects.GROUP, "nvlinknodes").named(nodeName));
                rules.add(Rule.on(verb, FabricObjects.GROUP, "nvlinkcliques").named(NO_OBJECT));
            }
        }
        if (use.rails()) {
            rules.add(PODS);
        }
        if (use.labelling()) {
            rules.add(Rule.on("patch", "", "nodes").named(nodeName));
        }
        if (use.telling()) {
            rules.add(EVENTS);
        }
        if (use.reviewing()) {
            rules.addAll(REVIEWS);
        }
        return rules;
    }
}
