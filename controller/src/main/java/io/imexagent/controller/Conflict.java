package io.imexagent.controller;

import io.imexagent.controller.DomainPlanner.Problem;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.ChannelEntry;
import java.util.List;

/** A channel that two ComputeDomains use in one clique: the table was restored, or a node came from another one. */
public record Conflict(CliqueId clique, ChannelEntry owner, ChannelEntry user) {

    /** The UIDs of the two ComputeDomains. */
    public List<String> domains() {
        return List.of(owner.domain().uid().value(), user.domain().uid().value());
    }

    /** What it is and what helps. */
    public Problem problem() {
        return new Problem(
                Problem.Reason.CHANNEL_CONFLICT,
                "node " + user.by() + " uses channel " + user.id() + " of clique " + clique + " for ComputeDomain "
                        + user.domain() + ", and it "
                        + (owner.id().equals(user.id())
                                ? "belongs to ComputeDomain " + owner.domain()
                                        + ": pods of both can reach each other's memory"
                                : "is not its own there, which is " + owner.id()
                                        + ": pods of the ComputeDomain that gets it can reach its memory")
                        + "; end the pods of " + user.domain() + " on " + user.by() + " at once");
    }
}
