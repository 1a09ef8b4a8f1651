package io.imexagent.dra.kubelet;

import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import java.util.List;

/** Answers in the kubelet's terms. */
final class Answers {

    private Answers() {}

    /** What the events of the pod or the kubelet's log show; empty for success. */
    static String error(Outcome<?> answer) {
        return answer.refusal().map(Refusal::answer).orElse("");
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
