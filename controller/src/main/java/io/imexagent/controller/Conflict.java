package io.imexagent.controller;

import io.imexagent.controller.DomainPlanner.Problem;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.ChannelEntry;
import java.util.List;

/** A channel that two ComputeDomains use in one clique: the table was restored, or a node came from another one. */
public record Conflict(CliqueId clique, ChannelEntry owner, ChannelEntry user) {

    public List<String> domains() {
        return List.of(owner.domain().uid().value(), user.domain().uid().value());
    }

    public Problem problem() {
        return new Problem(
                Problem.Reason.CHANNEL_CONFLICT,
                "node " + user.by() + " uses channel " + user.id() + " of clique " + clique + " for ComputeDomain "
                        + user.domain() + ", but "
                        + (owner.id().equals(user.id())
                                ? "that channel belongs to ComputeDomain " + owner.domain()
                                        + ": pods of both can reach each other's memory"
                                : "its channel there is " + owner.id() + ": pods of the ComputeDomain that gets "
                                        + "channel " + user.id() + " can reach its memory")
                        + "; end the pods of " + user.domain() + " on " + user.by() + " at once");
    }
}
