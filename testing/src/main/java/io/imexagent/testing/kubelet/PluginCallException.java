package io.imexagent.testing.kubelet;

/** A call of a plugin that failed as a whole, so that the kubelet fails the pod. */
public final class PluginCallException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String code;

    PluginCallException(String code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    PluginCallException(String code, String message) {
        super(message);
        this.code = code;
    }

    /** The gRPC status, such as {@code UNAVAILABLE}; {@code SKIPPED} where claims were left without an answer. */
    public String code() {
        return code;
    }
}
