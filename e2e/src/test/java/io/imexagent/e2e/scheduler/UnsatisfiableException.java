package io.imexagent.e2e.scheduler;

/** A claim cannot be allocated at present; the message is what the pod's events would say. */
class UnsatisfiableException extends Exception {

    private static final long serialVersionUID = 1L;

    UnsatisfiableException(String why) {
        super(why);
    }
}
