package io.imexagent.controller.plan;

/**
 * What keeps a ComputeDomain from being ready, or its owner should know. Told as an Event.
 *
 * @param reason what kind
 * @param message what it is and what helps, in users' words
 */
public record Problem(Reason reason, String message) {

    /** Kinds of problems; the name in CamelCase is the reason of the Event. */
    public enum Reason {
        /** The template's name belongs to a template of somebody else. */
        TEMPLATE_NAME_TAKEN("TemplateNameTaken", true),
        /** No template can have that name. */
        TEMPLATE_NAME_INVALID("TemplateNameInvalid", true),
        /** The template is another than it must be, and claims made from it live. */
        TEMPLATE_OUTDATED("TemplateOutdated", true),
        /** Finalizers of somebody else hold the template. */
        TEMPLATE_HELD("TemplateHeld", true),
        /** No channel is free. */
        CHANNELS_EXHAUSTED("ChannelsExhausted", true),
        /** Claims have a channel that belongs to another ComputeDomain. */
        CHANNEL_CONFLICT("ChannelConflict", true),
        /** The channel lies beyond those that are published. */
        CHANNEL_OUT_OF_RANGE("ChannelOutOfRange", true),
        /** Claims keep a deleted ComputeDomain's channel. */
        CLAIMS_ALIVE("ClaimsAlive", true),
        /** A deleted ComputeDomain stays until its channel has rested. */
        CHANNEL_RESTING("ChannelResting", false),
        /** The API server refuses something, again and again. */
        RECONCILE_FAILED("ReconcileFailed", true),
        /** A mode was asked for that host-managed IMEX does not know. */
        ALLOCATION_MODE_IGNORED("AllocationModeIgnored", false);

        private final String text;
        private final boolean blocking;

        Reason(String text, boolean blocking) {
            this.text = text;
            this.blocking = blocking;
        }

        /** The reason of the Event. */
        public String text() {
            return text;
        }

        /** Whether the ComputeDomain is not ready, or not gone, because of it. */
        public boolean blocking() {
            return blocking;
        }
    }
}
