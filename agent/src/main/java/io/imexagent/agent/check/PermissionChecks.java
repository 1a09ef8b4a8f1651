package io.imexagent.agent.check;

import static io.imexagent.agent.check.CheckResult.failure;
import static io.imexagent.agent.check.CheckResult.ok;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Permissions;
import io.imexagent.kubernetes.Permissions.Rule;
import io.imexagent.kubernetes.Permissions.Verdict;
import java.util.ArrayList;
import java.util.List;

/** Whether the API server grants what a serving agent does, rule by rule. */
final class PermissionChecks {

    static final String ID = "permissions";

    private static final String DRA = "resource.k8s.io";

    /** Nothing has it: a Node authorizer says then that the object is not tied to the node, not that a rule lacks. */
    private static final String NO_OBJECT = "imex-agent-check";

    private final Permissions permissions;
    private final String nodeName;
    private final boolean labelling;

    PermissionChecks(Permissions permissions, String nodeName, boolean labelling) {
        this.permissions = permissions;
        this.nodeName = nodeName;
        this.labelling = labelling;
    }

    /** One result for each rule that is missing, or one for all where none is. */
    List<CheckResult> run() throws ApiException {
        List<Rule> rules = rules();
        var missing = new ArrayList<CheckResult>();
        for (Rule rule : rules) {
            switch (permissions.may(rule)) {
                case Verdict.Allowed allowed -> {}
                case Verdict.AllowedOfOwnNode allowed -> {}
                case Verdict.Denied denied ->
                    missing.add(failure(
                            ID,
                            "this identity may not " + rule.text()
                                    + (denied.reason().isBlank() ? "" : " (" + denied.reason() + ")"),
                            "grant that rule: bind the ClusterRole imex-agent to the group system:nodes, or to the"
                                    + " user of kubernetes.kubeconfig"));
            }
        }
        return missing.isEmpty()
                ? List.of(ok(ID, "all " + rules.size() + " rules that serving needs are granted"))
                : List.copyOf(missing);
    }

    private List<Rule> rules() {
        var rules = new ArrayList<>(List.of(
                Rule.on("list", DRA, "resourceslices").ofNode(nodeName),
                Rule.on("watch", DRA, "resourceslices").ofNode(nodeName),
                Rule.on("create", DRA, "resourceslices"),
                Rule.on("update", DRA, "resourceslices").named(NO_OBJECT),
                Rule.on("delete", DRA, "resourceslices").named(NO_OBJECT),
                Rule.on("get", DRA, "resourceclaims").named(NO_OBJECT),
                Rule.on("list", "resource.nvidia.com", "computedomains"),
                Rule.on("watch", "resource.nvidia.com", "computedomains"),
                Rule.on("get", "", "nodes").named(nodeName)));
        if (labelling) {
            rules.add(Rule.on("patch", "", "nodes").named(nodeName));
        }
        return rules;
    }
}
