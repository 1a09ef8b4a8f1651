package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;

/** ResourceClaimTemplates: like claims, and immutable as a whole. */
final class ClaimTemplateRules implements ObjectRules {
    @Override
    public Shape shape() {
        return Shapes.RESOURCE_CLAIM_TEMPLATE;
    }

    @Override
    public void setDefaults(ObjectNode object, Instant now) {
        if (object.get("spec") instanceof ObjectNode spec) {
            Json.child(spec, "metadata");
            ClaimSpecRules.setDefaults(spec.path("spec"));
        }
    }

    @Override
    public List<Cause> check(ObjectNode object) {
        return ClaimSpecRules.check(object.path("spec").path("spec"), "spec.spec");
    }

    @Override
    public List<Cause> checkChange(ObjectNode object, ObjectNode old) {
        return object.path("spec").equals(old.path("spec"))
                ? List.of()
                : List.of(Cause.invalid("spec", object.path("spec").toString(), "field is immutable"));
    }
}
