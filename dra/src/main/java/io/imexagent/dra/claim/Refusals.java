package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import java.time.Duration;

/** The texts of refusals that do not come from a planner. */
final class Refusals {

    private Refusals() {}

    static Refusal badRequest(ClaimRequest request) {
        return new Refusal(
                RefusalCode.BAD_REQUEST,
                "the request names claim " + Quoted.of(request.namespace()) + "/" + Quoted.of(request.name())
                        + " with UID " + Quoted.of(request.uid())
                        + ", which Kubernetes cannot have named so; restart the kubelet, and report it if it happens"
                        + " again");
    }

    static Refusal sameUid(String uid) {
        return new Refusal(
                RefusalCode.BAD_REQUEST,
                "two claims are asked for with the one UID " + Quoted.of(uid)
                        + ", which the kubelet never does; restart the kubelet, and report it if it happens again");
    }

    static Refusal cancelled(ClaimRef ref) {
        return new Refusal(
                RefusalCode.CANCELLED,
                "claim " + ref.name() + " was unprepared while its prepare waited; a pod that still needs it is tried"
                        + " again");
    }

    static Refusal stopping() {
        return new Refusal(
                RefusalCode.STOPPING,
                "imex-agent is stopping on this node; the claim is retried when it has started again");
    }

    static Refusal overloaded(String what) {
        return new Refusal(
                RefusalCode.OVERLOADED,
                "imex-agent has more claims to work on than it takes (" + what + "); the claim is retried");
    }

    static Refusal apiSilent(ClaimRef ref, Duration waited) {
        return new Refusal(
                RefusalCode.API_UNAVAILABLE,
                "the API server has not answered about claim " + ref.name() + " within " + seconds(waited)
                        + "; check that it can be reached from this node; the claim is retried");
    }

    static Refusal filesSlow(Duration waited) {
        return new Refusal(
                RefusalCode.EFFECT_FAILED,
                "the files of the claim were not written within " + seconds(waited)
                        + "; check the disks of the kubelet's plugin directory and of the CDI directory, and what else"
                        + " imex-agent works on; the claim is retried");
    }

    static Refusal checkpointFull(String what) {
        return new Refusal(
                RefusalCode.CHECKPOINT_FULL,
                what + " until pods with claims have left the node; 'imex-agent claims list' there names the claims;"
                        + " the claim is retried");
    }

    static Refusal defect() {
        return new Refusal(
                RefusalCode.INTERNAL,
                "imex-agent failed on this claim, its log on the node says how; the claim is retried, please report"
                        + " this defect");
    }

    private static String seconds(Duration time) {
        return time.toSeconds() > 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }
}
