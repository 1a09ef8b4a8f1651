package io.imexagent.rdma.rails;

import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import java.util.Optional;

/**
 * What a claim asks for.
 *
 * @param pod why its pod cannot have a network interface; empty where it can, or where none is to move
 */
public record RailClaim(RailDemand demand, Optional<Refusal> pod) {

    /**
     * Why this pod cannot have an interface: of several containers only the first would get it.
     *
     * @param containers how many of its containers use the claim
     */
    static Optional<Refusal> refused(String pod, boolean hostNetwork, int containers) {
        if (hostNetwork) {
            return refused("pod " + pod + " has hostNetwork, where the interface is already; take mode Verbs, or"
                    + " hostNetwork out of the pod");
        }
        return containers > 1
                ? refused(
                        containers + " containers of pod " + pod + " use the claim, and the interface moves once; name"
                                + " the claim in one container, or take mode Verbs")
                : Optional.empty();
    }

    /** The refusal of a claim that is not of exactly one pod, since of this. */
    static Optional<Refusal> notOfOnePod(String reason) {
        return refused(reason + ", and an interface is in one place; make a claim for each pod by a"
                + " ResourceClaimTemplate");
    }

    private static Optional<Refusal> refused(String clause) {
        return Optional.of(new Refusal(RefusalCode.NETDEV_POD, "mode Netdev: " + clause));
    }
}
