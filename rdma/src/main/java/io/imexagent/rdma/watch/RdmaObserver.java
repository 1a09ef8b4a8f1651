package io.imexagent.rdma.watch;

import java.time.Duration;

/** Counts the readings of the RDMA side. */
public interface RdmaObserver {

    default void read(RdmaView view, Duration took) {}

    /** The host could not be read; the view stays as it was. */
    default void failed() {}
}
