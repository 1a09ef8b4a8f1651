package io.imexagent.rdma.dra;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.refusal.Refusal;
import java.util.List;

/** What a claim asks of this node's rails, read from its status alone. */
public sealed interface RailDemand {

    /**
     * Rails.
     *
     * @param devices the allocated devices, at least one
     * @param config what is wanted with them
     */
    record Rails(List<AllocatedDevice> devices, RailConfig config) implements RailDemand {

        /** Copies the list in. */
        public Rails {
            devices = List.copyOf(devices);
        }
    }

    /**
     * Nothing that this node can give.
     *
     * @param refusal why
     */
    record Refused(Refusal refusal) implements RailDemand {}
}
