package io.imexagent.core.refusal;

/** Why a claim is not prepared: a sentence for the pod's Events with the cause and the remedy. */
public record Refusal(RefusalCode code, String message) {

    /** The answer to the kubelet: the message and the code, by which the documentation explains it. */
    public String answer() {
        return message + " [" + code.label() + "]";
    }
}
