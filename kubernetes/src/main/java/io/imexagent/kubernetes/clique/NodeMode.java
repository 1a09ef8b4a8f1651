package io.imexagent.kubernetes.clique;

import io.imexagent.core.policy.Isolation;

/** What the agent of a node does with IMEX channels: it serves them under an isolation, or it only observes. */
public sealed interface NodeMode {

    /** HostManagedIMEX is off: no pod gets a channel on the node. */
    record ObservingMode() implements NodeMode {

        @Override
        public String text() {
            return "observing";
        }
    }

    /** HostManagedIMEX is on. */
    record ChannelMode(Isolation isolation) implements NodeMode {

        @Override
        public String text() {
            return isolation.text();
        }
    }

    /** One word for people: {@code observing}, or the isolation. */
    String text();
}
