package io.imexagent.rdma.dra;

import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.rdma.selection.Rail;
import java.util.List;
import java.util.Optional;

/**
 * When an interface may move into a container. A runtime that cannot leaves it out in silence; a pod with several
 * containers for it has it in the first only; and the host's own network must never get it. Pure.
 */
final class NetdevRules {

    private NetdevRules() {}

    static Optional<Refusal> objection(RailNode node, List<Rail> rails, RailClaim.Pod pod) {
        if (node.netdev() instanceof NetdevSupport.Unsupported unsupported) {
            return refused(RefusalCode.NETDEV_RUNTIME, "mode Netdev: " + unsupported.reason() + "; or take mode Verbs");
        }
        Optional<Rail> without = rails.stream()
                .filter(rail -> rail.nic().interfaceName().isEmpty())
                .findFirst();
        if (without.isPresent()) {
            return refused(
                    RefusalCode.RAIL_NOT_OFFERED,
                    "mode Netdev: " + without.get().nic().name()
                            + " has no network interface that could be moved; load its driver (for InfiniBand"
                            + " ib_ipoib), or take mode Verbs; the claim is retried");
        }
        return switch (pod) {
            case RailClaim.Pod.Found found -> ofPod(found);
            case RailClaim.Pod.NotOne none ->
                refused(
                        RefusalCode.NETDEV_POD,
                        "mode Netdev: " + none.reason() + ", and an interface is in one place; make a claim for each"
                                + " pod by a ResourceClaimTemplate");
            case RailClaim.Pod.NotAsked notAsked ->
                refused(RefusalCode.INTERNAL, "the pod of the claim was not looked up; report this defect");
        };
    }

    private static Optional<Refusal> ofPod(RailClaim.Pod.Found pod) {
        if (pod.hostNetwork()) {
            return refused(
                    RefusalCode.NETDEV_POD,
                    "mode Netdev: pod " + pod.name() + " has hostNetwork, where the interface is already; take mode"
                            + " Verbs, or hostNetwork out of the pod");
        }
        return pod.containers() > 1
                ? refused(
                        RefusalCode.NETDEV_POD,
                        "mode Netdev: " + pod.containers() + " containers of pod " + pod.name()
                                + " use the claim, and the interface moves once; name the claim in one container, or"
                                + " take mode Verbs")
                : Optional.empty();
    }

    private static Optional<Refusal> refused(RefusalCode code, String message) {
        return Optional.of(new Refusal(code, message));
    }
}
