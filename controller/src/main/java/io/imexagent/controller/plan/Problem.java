package io.imexagent.controller.plan;

/**
 * What keeps a ComputeDomain from being ready, or its owner should know. Told as an Event.
 *
 * @param message what it is and what helps, in users' words
 */
public record Problem(Reason reason, String message) {

    /** Kinds of problems; the name in CamelCase is the reason of the Event. */
    public enum Reason {
        /** The template's name belongs to another template. */
        TEMPLATE_NAME_TAKEN("TemplateNameTaken", true),
        /** No template can have that name. */
        TEMPLATE_NAME_INVALID("TemplateNameInvalid", true),
        /** Finalizers of others hold the template. */
        TEMPLATE_HELD("TemplateHeld", true),
        /** A node uses a channel for one ComputeDomain that belongs to another. */
        CHANNEL_CONFLICT("ChannelConflict", true),
        /** The API server refuses something, again and again. */
        RECONCILE_FAILED("ReconcileFailed", true),
        /** A mode was asked for that host-managed IMEX does not know. */
        ALLOCATION_MODE_IGNORED("AllocationModeIgnored", false);

        private final String text;
        private final boolean warning;

        Reason(String text, boolean warning) {
            this.text = text;
            this.warning = warning;
        }

        /** The reason of the Event. */
        public String text() {
            return text;
        }

        /** Whether its owner has to act. */
        public boolean warning() {
            return warning;
        }
    }
}
