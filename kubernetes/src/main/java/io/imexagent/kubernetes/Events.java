package io.imexagent.kubernetes;

import java.time.Instant;

/** Events, for people who look at an object. Calls block: make them on a virtual thread. */
@FunctionalInterface
public interface Events {

    /** The namespace of Events of Nodes, as the kubelet makes them. */
    String NAMESPACE = "default";

    /** Makes an Event. */
    void create(Event event) throws ApiException;

    /**
     * An Event of a ComputeDomain, in its namespace, or of a Node, in {@link Events#NAMESPACE}: its reason is one word
     * in upper camel case of at most 128 characters, its message is cut to 1024.
     */
    record Event(ObjectRef about, boolean warning, String reason, String message, Instant at) {

        private static final int LONGEST = 1024;

        /** Cuts the message. */
        public Event {
            message = message.length() > LONGEST ? message.substring(0, LONGEST - 1) + "…" : message;
        }

        /** An Event of a Node, whose UID is its name here: {@code kubectl describe node} looks for both. */
        public static Event ofNode(String node, boolean warning, String reason, String message, Instant at) {
            return new Event(new ObjectRef(node, "", node, ""), warning, reason, message, at);
        }
    }
}
