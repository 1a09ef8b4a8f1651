package io.imexagent.dra.kubelet;

/** Is told what the kubelet's services do, for metrics. Called on any thread, the event loop too; must not block. */
public interface DraObserver {

    /** An observer that does not care. */
    DraObserver NONE = new DraObserver() {
        @Override
        public void connectionRefused() {}

        @Override
        public void registration(RegistrationState state) {}

        @Override
        public void socketRestored() {}

        @Override
        public void healthStreams(int open) {}
    };

    /** A connection was closed since its user may not connect. */
    void connectionRefused();

    /** Registration has come to a state; it may be the one that it was in. */
    void registration(RegistrationState state);

    /** A socket that had vanished is there again. */
    void socketRestored();

    /** The number of open streams of device health has changed. */
    void healthStreams(int open);
}
