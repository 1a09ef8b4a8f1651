package io.imexagent.dra.worker;

/** A task that was turned away: the worker's queue is full, or the worker is closed. */
public final class QueueFullException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    QueueFullException(String message) {
        super(message);
    }
}
