package io.imexagent.kubernetes.clique;

import io.imexagent.core.policy.Isolation;

/** The use of IMEX channels on a node: its agent serves them with an isolation, or only observes. */
public sealed interface NodeMode {

    /** HostManagedIMEX is off: no pod gets a channel on the node. */
    record ObservingMode() implements NodeMode {

        @Override
        public String text() {
            return "observing";
        }
    }

    /** HostManagedIMEX is on; pods get channels with this isolation. */
    record ChannelMode(Isolation isolation) implements NodeMode {

        @Override
        public String text() {
            return isolation.text();
        }
    }

    /** The mode as a word for people: {@code observing}, or the isolation. */
    String text();
}
