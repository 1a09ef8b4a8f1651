package io.imexagent.e2e.scheduler;

/**
 * A selector is no CEL, breaks on a device, or is no boolean. The scheduler then gives the pod up, whatever other nodes
 * have, since its filter has failed rather than said no.
 */
final class BrokenSelectorException extends UnsatisfiableException {

    private static final long serialVersionUID = 1L;

    BrokenSelectorException(String why) {
        super(why);
    }
}
