package io.imexagent.kubernetes;

import java.time.Instant;

/** Events, for people who look at an object. Calls block: make them on a virtual thread. */
@FunctionalInterface
public interface Events {

    /** The namespace of Events of Nodes, as the kubelet makes them. */
    String NAMESPACE = "default";

    /** Makes an Event. */
    void create(NodeEvent event) throws ApiException;

    /**
     * An Event of a Node. It stands in the namespace {@link Events#NAMESPACE}, as those of the kubelet do.
     *
     * @param node the node's name
     * @param normal whether it is type {@code Normal}; otherwise {@code Warning}
     * @param reason why, one word in upper camel case of at most 128 characters
     * @param message what happened, cut to the 1024 characters that an Event takes
     */
    record NodeEvent(String node, boolean normal, String reason, String message, Instant at) {

        private static final int LONGEST_MESSAGE = 1024;

        /** Cuts the message. */
        public NodeEvent {
            message = message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE);
        }
    }
}
