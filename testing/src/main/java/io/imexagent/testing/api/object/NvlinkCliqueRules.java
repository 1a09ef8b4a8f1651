package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** NVLinkCliques: the schema and the two rules of their definition. */
final class NvlinkCliqueRules implements ObjectRules {
    @Override
    public Shape shape() {
        return Shapes.NVLINK_CLIQUE;
    }

    @Override
    public List<Cause> check(ObjectNode object) {
        var clique = new SchemaCheck(object, "", new ArrayList<>());
        clique.required("spec")
                .in("spec")
                .required("limit", "channels")
                .whole("limit", 0, 65536)
                .items(
                        "channels",
                        255,
                        "id",
                        entry -> NvlinkNodeRules.domain(entry)
                                .required("id", "by", "state")
                                .whole("id", 1, 255)
                                .text("by", 1, 253)
                                .oneOf("state", "Assigned", "Releasing"));
        // The server evaluates rules only over what meets the schema.
        return clique.causes().isEmpty() ? broken(object) : clique.causes();
    }

    private static List<Cause> broken(ObjectNode object) {
        List<Cause> causes = new ArrayList<>();
        String name = Json.text(object, "metadata.name");
        if (!NvlinkNodeRules.CLIQUE.matcher(name).matches()) {
            causes.add(
                    Cause.invalid("<nil>", "\"object\"", "the name must be that of a clique, <cluster uuid>.<number>"));
        }
        Set<String> domains = new HashSet<>();
        for (JsonNode entry : object.path("spec").path("channels")) {
            if (!domains.add(entry.path("computeDomain").asText())) {
                causes.add(Cause.invalid(
                        "spec.channels", "\"array\"", "a ComputeDomain has one channel of a clique at most"));
                return causes;
            }
        }
        return causes;
    }
}
