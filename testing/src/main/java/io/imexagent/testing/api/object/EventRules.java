package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Events: they stand in the namespace of their object, those about cluster-scoped objects in {@code default}. */
final class EventRules implements ObjectRules {
    @Override
    public Shape shape() {
        return Shape.Leaf.ANY;
    }

    @Override
    public List<Cause> check(ObjectNode object) {
        String involved = Json.text(object, "involvedObject.namespace");
        String own = Json.text(object, "metadata.namespace");
        boolean fits = involved.isEmpty() ? own.equals("default") || own.equals("kube-system") : involved.equals(own);
        return fits
                ? List.of()
                : List.of(Cause.invalid(
                        "involvedObject.namespace", "\"" + involved + "\"", "does not match event.namespace"));
    }
}
