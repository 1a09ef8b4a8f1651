package io.imexagent.testing.api.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Lifecycle;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusCause;
import io.imexagent.testing.api.object.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the server asks of whoever changes the status of a ResourceClaim, beside the right to that endpoint, since Kubernetes
 * 1.36 ({@code pkg/registry/resource/utils.go}): {@code resourceclaims/binding} for allocation and users, and for the entries
 * of each driver {@code resourceclaims/driver}, with a verb for service accounts on the claim's node and one for all others.
 */
public record ClaimStatusRights(Authorizer authorizer) {

    /** Returns where the identity may make the change; else it is a refusal with 422, as the server has it. */
    public void check(UserIdentity identity, RequestVerb verb, ObjectNode old, ObjectNode now) {
        List<StatusCause> causes = new ArrayList<>();
        JsonNode before = old.path("status");
        JsonNode after = now.path("status");
        boolean binds = !before.path("allocation").equals(after.path("allocation"))
                || !before.path("reservedFor").equals(after.path("reservedFor"));
        if (binds && !authorizer.mayBind(identity, verb)) {
            causes.add(refusal(
                    "status.allocation",
                    "changing status.allocation or status.reservedFor requires"
                            + " resource=\"resourceclaims/binding\", verb=\"" + verb.text() + "\" permission: "
                            + refused(identity, verb.text(), "resourceclaims/binding")));
        }
        List<String> verbs = identity.isAccountOn(nodeOf(after))
                ? List.of("associated-node:" + verb.text(), "arbitrary-node:" + verb.text())
                : List.of("arbitrary-node:" + verb.text());
        for (String driver : changed(before.path("devices"), after.path("devices"))) {
            if (verbs.stream().noneMatch(one -> authorizer.mayReport(identity, one, driver))) {
                causes.add(refusal(
                        "status.devices",
                        "changing status.devices requires resource=\"resourceclaims/driver\", verb=\"["
                                + String.join(" ", verbs) + "]\" permission: "
                                + refused(identity, verbs.getFirst(), "resourceclaims/driver")));
            }
        }
        if (!causes.isEmpty()) {
            throw StatusException.invalid(
                    ResourceType.RESOURCE_CLAIMS, now.at("/metadata/name").asText(), causes);
        }
    }

    private static StatusCause refusal(String field, String why) {
        return new StatusCause("FieldValueForbidden", field, "Forbidden: " + why);
    }

    private static String refused(UserIdentity identity, String verb, String resource) {
        return "User \"" + identity.user() + "\" cannot " + verb + " resource \"" + resource
                + "\" in API group \"resource.k8s.io\"";
    }

    /** The one node that the allocation names, or an empty text. */
    private static String nodeOf(JsonNode status) {
        JsonNode terms = status.at("/allocation/nodeSelector/nodeSelectorTerms");
        JsonNode fields = terms.path(0).path("matchFields");
        JsonNode field = fields.path(0);
        return terms.size() == 1
                        && terms.path(0).path("matchExpressions").isEmpty()
                        && fields.size() == 1
                        && field.path("key").asText().equals("metadata.name")
                        && field.path("operator").asText().equals("In")
                        && field.path("values").size() == 1
                ? field.path("values").path(0).asText()
                : "";
    }

    private static Set<String> changed(JsonNode before, JsonNode after) {
        Map<String, JsonNode> old = Lifecycle.reports(before);
        Map<String, JsonNode> now = Lifecycle.reports(after);
        Set<String> drivers = new TreeSet<>();
        now.forEach((key, entry) -> {
            if (!entry.equals(old.get(key))) {
                drivers.add(entry.path("driver").asText());
            }
        });
        old.forEach((key, entry) -> {
            if (!now.containsKey(key)) {
                drivers.add(entry.path("driver").asText());
            }
        });
        return drivers;
    }
}
