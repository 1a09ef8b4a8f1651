package io.imexagent.imex.provision;

import java.util.List;
import java.util.Optional;

/**
 * What provisioning would do.
 *
 * @param steps the changes, in their order
 * @param remarks what an operator should know, one sentence each
 * @param obstacle why the host cannot become what it should; empty where it can
 */
record ProvisionPlan(List<ProvisionStep> steps, List<String> remarks, Optional<String> obstacle) {

    /** Copies the lists in. */
    ProvisionPlan {
        steps = List.copyOf(steps);
        remarks = List.copyOf(remarks);
    }

    static ProvisionPlan nothing(String remark) {
        return new ProvisionPlan(List.of(), List.of(remark), Optional.empty());
    }

    static ProvisionPlan blocked(String obstacle) {
        return new ProvisionPlan(List.of(), List.of(), Optional.of(obstacle));
    }
}
