package io.imexagent.dra.kubelet;

/** Hears what the kubelet's services do, for metrics. Called on any thread, the event loop too; must not block. */
public interface DraObserver {

    DraObserver NONE = new DraObserver() {};

    /** A connection was closed since its user may not connect. */
    default void connectionRefused() {}

    /** Registration has come to a state; it may be the one that it was in. */
    default void registration(RegistrationState state) {}

    default void socketRestored() {}

    default void healthStreams(int open) {}
}
