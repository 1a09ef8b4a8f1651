package io.imexagent.core.refusal;

/** Why a claim is not prepared: a sentence for the pod's events, what is wrong and what to do about it. */
public record Refusal(RefusalCode code, String message) {

    /** The answer to the kubelet: the message, with the code for whoever searches the documentation. */
    public String answer() {
        return message + " [" + code.label() + "]";
    }
}
