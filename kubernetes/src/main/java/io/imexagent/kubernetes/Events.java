package io.imexagent.kubernetes;

import io.imexagent.core.claim.Shortened;
import java.time.Instant;

/** Events, for people who look at an object. Calls block: make them on a virtual thread. */
@FunctionalInterface
public interface Events {

    /** The namespace of Events of Nodes, as the kubelet makes them. */
    String NAMESPACE = "default";

    /** Makes an Event; one that differs from an earlier one by its time alone is counted in the series of that. */
    void emit(Event event) throws ApiException;

    /**
     * An Event of a ComputeDomain, in its namespace, or of a Node, in {@link Events#NAMESPACE}. Its reason, and the
     * action during which it came up, are one word in upper camel case of at most 128 characters; its message is cut to
     * 1024 bytes.
     */
    record Event(ObjectRef about, boolean warning, String action, String reason, String message, Instant at) {

        private static final int LONGEST = 1024;

        public Event {
            message = Shortened.to(LONGEST, message);
        }

        /** An Event of a Node, whose UID is its name here: {@code kubectl describe node} looks for both. */
        public static Event ofNode(
                String node, boolean warning, String action, String reason, String message, Instant at) {
            return new Event(new ObjectRef(node, "", node, ""), warning, action, reason, message, at);
        }
    }
}
