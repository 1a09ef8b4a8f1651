package io.imexagent.systemd;

/** Sends datagrams to Unix sockets, and knows the clock that belongs to them. */
interface Datagrams {

    /**
     * Sends a text in one datagram, and does not wait where the receiver's queue is full.
     *
     * @return whether it was taken
     */
    boolean send(NotifySocket to, String text);

    /** {@code CLOCK_MONOTONIC} in microseconds, the clock of {@code MONOTONIC_USEC}. */
    long monotonicMicros();
}
