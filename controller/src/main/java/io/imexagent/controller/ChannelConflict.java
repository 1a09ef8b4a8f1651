package io.imexagent.controller;

import io.imexagent.controller.DomainPlanner.Problem;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.ChannelTable.DoubleUse;
import java.util.List;

/**
 * A channel that a node uses in contradiction to the table of a clique: the table was damaged or restored, or the node
 * moved from another clique or returned. {@code text} names the ComputeDomains by namespace and name.
 */
public record ChannelConflict(CliqueId clique, DoubleUse use, String text) {

    /**
     * The identity of a conflict. Its text is no part, since it changes with the names of the ComputeDomains and once
     * they are deleted.
     */
    record ChannelConflictKey(
            CliqueId clique, String node, ChannelId channel, ComputeDomainUid user, ComputeDomainUid owner) {}

    ChannelConflictKey key() {
        return new ChannelConflictKey(
                clique,
                use.user().by(),
                use.user().id(),
                use.user().domain().uid(),
                use.owner().domain().uid());
    }

    public List<String> domains() {
        return List.of(
                use.owner().domain().uid().value(), use.user().domain().uid().value());
    }

    public Problem problem() {
        return new Problem(Problem.Reason.CHANNEL_CONFLICT, text);
    }
}
