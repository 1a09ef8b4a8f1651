package io.imexagent.dra.driver;

import io.imexagent.dra.kubelet.DraObserver;
import io.imexagent.dra.kubelet.RegistrationState;

/**
 * Notices that a kubelet has come, which may be another one than had the claims prepared: it registers the plugin, or the
 * directory with the sockets was replaced.
 *
 * @param next is told everything
 * @param came is run each time
 */
record KubeletWatch(DraObserver next, Runnable came) implements DraObserver {

    @Override
    public void connectionRefused() {
        next.connectionRefused();
    }

    @Override
    public void registration(RegistrationState state) {
        if (state instanceof RegistrationState.Registered) {
            came.run();
        }
        next.registration(state);
    }

    @Override
    public void socketRestored() {
        came.run();
        next.socketRestored();
    }

    @Override
    public void healthStreams(int open) {
        next.healthStreams(open);
    }
}
