package io.imexagent.dra.kubelet;

/** Observes the kubelet's services, for metrics. Called on any thread, including the event loop; must not block. */
public interface DraObserver {

    /** A connection was closed because its user may not connect. */
    default void connectionRefused() {}

    /** The registration has this state, possibly the same as before. */
    default void registration(RegistrationState state) {}

    default void socketRestored() {}

    default void healthStreams(int open) {}
}
