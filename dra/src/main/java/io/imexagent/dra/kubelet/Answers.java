package io.imexagent.dra.kubelet;

import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.dra.claim.PrepareAnswer;
import io.imexagent.dra.claim.UnprepareAnswer;
import java.util.List;

/**
 * Answers in the kubelet's terms: an error, empty for success, and devices.
 *
 * <p>There is no switch over the variants, here on the way to the first answer: a pattern switch is linked with generated
 * classes when it first runs, which takes milliseconds and which no AOT cache keeps. The casts fail for a variant that
 * nobody thought of, so that it cannot pass for success.
 */
final class Answers {

    private Answers() {}

    /** What the events of the pod show; empty where the claim is prepared. */
    static String error(PrepareAnswer answer) {
        return answer instanceof PrepareAnswer.Prepared
                ? ""
                : ((PrepareAnswer.Refused) answer).refusal().answer();
    }

    /** The devices of the claim; none where it is not prepared. */
    static List<PreparedDevice.Handed> devices(PrepareAnswer answer) {
        return answer instanceof PrepareAnswer.Prepared prepared ? prepared.devices() : List.of();
    }

    /** What the kubelet's log shows; empty where nothing is left of the claim. */
    static String error(UnprepareAnswer answer) {
        return answer instanceof UnprepareAnswer.Done
                ? ""
                : ((UnprepareAnswer.Failed) answer).refusal().answer();
    }

    /** The requests of a device without their subrequests, each once: {@code gpus/large} is {@code gpus}. */
    static List<String> requests(PreparedDevice.Handed device) {
        return device.requests().stream().map(Answers::mainRequest).distinct().toList();
    }

    private static String mainRequest(String request) {
        int slash = request.indexOf('/');
        return slash < 0 ? request : request.substring(0, slash);
    }
}
