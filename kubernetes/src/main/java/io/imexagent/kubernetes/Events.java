package io.imexagent.kubernetes;

import io.imexagent.core.claim.Shortened;
import java.time.Instant;

/** Events, which people see when they describe an object. Calls block: make them on a virtual thread. */
@FunctionalInterface
public interface Events {

    /** The namespace of Events about Nodes, the same as for those of the kubelet. */
    String NAMESPACE = "default";

    /**
     * Creates an Event. If it equals an earlier one in all but the time, it is counted in that Event's series instead.
     */
    void emit(Event event) throws ApiException;

    /**
     * An Event about a ComputeDomain, in its namespace, or about a Node, in {@link Events#NAMESPACE}. Its reason, and
     * the action that caused it, are one word each in upper camel case, of at most 128 characters; its message is cut
     * to 1024 bytes.
     */
    record Event(ObjectRef about, boolean warning, String action, String reason, String message, Instant at) {

        private static final int LONGEST = 1024;

        public Event {
            message = Shortened.to(LONGEST, message);
        }

        /**
         * Creates an Event about a Node, with the Node's name as its UID: {@code kubectl describe node} finds Events by
         * either.
         */
        public static Event ofNode(
                String node, boolean warning, String action, String reason, String message, Instant at) {
            return new Event(new ObjectRef(node, "", node, ""), warning, action, reason, message, at);
        }
    }
}
