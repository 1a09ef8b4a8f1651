package io.imexagent.kubernetes.control;

import io.imexagent.kubernetes.ObjectRef;

/**
 * An Event about a ComputeDomain.
 *
 * @param warning whether it is a warning; else it is for information
 * @param reason why, one word in CamelCase
 * @param message what happened and what to do, at most 1024 characters
 */
public record EventDraft(ObjectRef about, boolean warning, String reason, String message) {

    private static final int LONGEST = 1024;

    /** Cuts the message to what the server takes. */
    public EventDraft {
        message = message.length() > LONGEST ? message.substring(0, LONGEST - 1) + "…" : message;
    }
}
