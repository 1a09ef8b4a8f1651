package io.imexagent.agent.check;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.imex.prepare.Sharing;

/**
 * What an agent does at the API server under its configuration.
 *
 * @param channels whether it serves IMEX channels
 * @param rails whether it serves RDMA NICs
 * @param labelling whether it keeps a label of the Node
 * @param telling whether it makes Events of the Node
 * @param sharing which claims may hold one channel together
 */
record ApiUse(boolean channels, boolean rails, boolean labelling, boolean telling, Sharing sharing) {

    static ApiUse of(AgentConfig config) {
        boolean channels = config.hostManaged();
        return new ApiUse(
                channels,
                config.rdma().enabled(),
                channels && config.get(ConfigKeys.CLIQUE_LABEL),
                channels && config.imexHealth().watch() && config.imexHealth().nodeEvents(),
                config.sharingInForce());
    }
}
