package io.imexagent.kubernetes.access;

/** A kubeconfig, or a file or plugin that it names, cannot be used. The message names the file and the remedy. */
public final class AccessException extends Exception {

    private static final long serialVersionUID = 1L;

    public AccessException(String message) {
        super(message);
    }

    public AccessException(String message, Throwable cause) {
        super(message, cause);
    }
}
