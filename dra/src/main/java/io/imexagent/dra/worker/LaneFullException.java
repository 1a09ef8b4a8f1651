package io.imexagent.dra.worker;

/** A task that was turned away: the lane's queue is full, or the lane is closed. */
public final class LaneFullException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LaneFullException(String message) {
        super(message);
    }
}
