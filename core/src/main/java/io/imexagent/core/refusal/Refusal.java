package io.imexagent.core.refusal;

/**
 * A claim that is not prepared, and why: a sentence for the events of the pod, what is wrong and what to do about it.
 */
public record Refusal(RefusalCode code, String message) {

    /** The answer to the kubelet: the message, with the code for whoever searches the documentation. */
    public String answer() {
        return message + " [" + code.label() + "]";
    }
}
