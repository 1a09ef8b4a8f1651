package io.imexagent.testing.api;

import io.imexagent.testing.api.http.HttpListener;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** Takes a listener away for a while, and brings it back. */
record Absence(HttpListener listener, Duration time) implements Runnable {
    private static final Logger LOG = System.getLogger(Absence.class.getName());
    /** Long enough for the answer that announces the absence to leave. */
    private static final Duration GRACE = Duration.ofMillis(100);

    @Override
    public void run() {
        try {
            Thread.sleep(GRACE);
            listener.suspend();
            Thread.sleep(time);
            listener.resume();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.log(Level.ERROR, "cannot listen again on port " + listener.port(), e);
        }
    }
}
