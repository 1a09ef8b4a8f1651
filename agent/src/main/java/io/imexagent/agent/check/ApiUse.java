package io.imexagent.agent.check;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.http.Loopback;
import io.imexagent.core.policy.Isolation;
import io.imexagent.imex.prepare.Sharing;
import java.util.Optional;

/**
 * What an agent does at the API server under its configuration.
 *
 * @param channels whether it serves IMEX channels
 * @param holding whether each workload has a channel of its own
 * @param rails whether it serves RDMA NICs
 * @param labelling whether it keeps a label of the Node
 * @param telling whether it makes Events of the Node
 * @param reviewing whether it asks who may see documents over HTTP from elsewhere
 * @param sharing which claims may hold one channel together
 */
record ApiUse(
        boolean channels,
        boolean holding,
        boolean rails,
        boolean labelling,
        boolean telling,
        boolean reviewing,
        Sharing sharing) {

    static ApiUse of(AgentConfig config) {
        boolean channels = config.hostManaged();
        return new ApiUse(
                channels,
                channels && config.find(ConfigKeys.ISOLATION).equals(Optional.of(Isolation.IMEX_CHANNEL)),
                config.rdma().enabled(),
                channels && config.get(ConfigKeys.CLIQUE_LABEL),
                channels && config.imexHealth().watch() && config.imexHealth().nodeEvents(),
                reviewing(config.http()),
                config.sharingInForce());
    }

    /** Over plain HTTP nobody from elsewhere is shown one. */
    private static boolean reviewing(AgentConfig.Http http) {
        boolean thisHostOnly = http.address().equals("localhost") || Loopback.is(http.address());
        return http.tls().isPresent() && !thisHostOnly;
    }
}
