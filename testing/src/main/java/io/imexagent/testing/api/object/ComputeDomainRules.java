package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** ComputeDomains: the schema and the transition rule of the custom resource definition. */
final class ComputeDomainRules implements ObjectRules {
    @Override
    public Shape shape() {
        return Shapes.COMPUTE_DOMAIN;
    }

    @Override
    public void setDefaults(ObjectNode object, Instant now) {
        if (object.get("spec") instanceof ObjectNode spec) {
            if (!spec.has("numNodes")) {
                spec.put("numNodes", 0);
            }
            if (spec.get("channel") instanceof ObjectNode channel && !channel.has("allocationMode")) {
                channel.put("allocationMode", "Single");
            }
        }
        if (object.get("status") instanceof ObjectNode status && !status.has("status")) {
            status.put("status", "NotReady");
        }
    }

    @Override
    public void setFirstStatus(ObjectNode object) {
        object.putObject("status").put("status", "NotReady");
    }

    @Override
    public List<Cause> check(ObjectNode object) {
        List<Cause> causes = new ArrayList<>();
        JsonNode spec = object.path("spec");
        if (spec.path("numNodes").asInt() < 0) {
            causes.add(Cause.invalid(
                    "spec.numNodes",
                    spec.path("numNodes").asText(),
                    "spec.numNodes in body should be greater than or equal to 0"));
        }
        if (Json.text(spec, "channel.resourceClaimTemplate.name").isEmpty()) {
            causes.add(Cause.required("spec.channel.resourceClaimTemplate.name", ""));
        }
        new SchemaCheck(spec.at("/channel/resourceClaimTemplate"), "spec.channel.resourceClaimTemplate", causes)
                .text("name", 0, 253);
        String mode = Json.text(spec, "channel.allocationMode");
        if (spec.has("channel") && !mode.equals("Single") && !mode.equals("All")) {
            causes.add(Cause.unsupported("spec.channel.allocationMode", mode, "\"All\", \"Single\""));
        }
        return causes;
    }

    @Override
    public List<Cause> checkChange(ObjectNode object, ObjectNode old) {
        return object.path("spec").equals(old.path("spec"))
                ? List.of()
                : List.of(Cause.invalid("spec", "\"object\"", "A computeDomain.spec is immutable"));
    }

    @Override
    public List<Cause> checkStatus(ObjectNode object, ObjectNode old) {
        String status = Json.text(object, "status.status");
        return status.isEmpty() || status.equals("Ready") || status.equals("NotReady")
                ? List.of()
                : List.of(Cause.unsupported("status.status", status, "\"Ready\", \"NotReady\""));
    }
}
