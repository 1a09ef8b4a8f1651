package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Pods: every field is taken as it stands; a new pod is pending. */
final class PodRules implements ObjectRules {
    @Override
    public Shape shape() {
        return Shape.Leaf.ANY;
    }

    @Override
    public void setFirstStatus(ObjectNode object) {
        object.putObject("status").put("phase", "Pending");
    }
}
