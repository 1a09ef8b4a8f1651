package io.imexagent.kubernetes;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * The failure of a call. The message names object and remedy, and is fit for a pod's Event; {@code retryAfter} is the
 * pause that the server requests.
 */
public record ApiFailure(FailureKind kind, String message, Optional<Duration> retryAfter) {

    public enum FailureKind {
        /** No connection was made, it broke, or TLS failed. */
        UNREACHABLE,
        TIMEOUT,
        /** No call was made: the kubeconfig, or a file or plugin that it names, is missing or cannot be used. */
        NO_KUBECONFIG,
        /** 401: the server does not accept the caller's credentials. */
        UNAUTHORIZED,
        /** 403: a rule is missing; the message names it. */
        FORBIDDEN,
        /**
         * 403, or another code: an admission policy, webhook or plugin refuses the call; the message names it. No rule
         * is missing.
         */
        ADMISSION,
        /** 403: a ResourceQuota of the namespace is used up. */
        QUOTA,
        /** 403: the namespace is being deleted and accepts no new objects. */
        NAMESPACE_ENDING,
        /**
         * 403 of the Node authorizer: no pod on this node refers to the object, or none does yet. No rule is missing.
         */
        NO_RELATIONSHIP,
        /**
         * 403 of the Node authorizer: the identity belongs to a node other than {@code node.name}. No rule is missing.
         */
        OTHER_NODE,
        /** 404: the object, or the resource, does not exist. */
        NOT_FOUND,
        /** 409: another writer changed the object first, or the name is taken. */
        CONFLICT,
        /** 410: the requested version is too old. */
        GONE,
        /** 422 or 400: the server rejects the object as invalid. */
        INVALID,
        /** 429: too many requests. */
        THROTTLED,
        /** 5xx: the server failed. */
        SERVER_ERROR,
        /** The response is not an object of the expected kind. */
        UNREADABLE,
        /** The cluster does not serve {@code resource.k8s.io/v1}: it is older than 1.34. */
        UNSUPPORTED;

        /**
         * Whether the call fails until someone changes the cluster or the configuration. Other failures end by
         * themselves.
         */
        public boolean isRefusal() {
            return switch (this) {
                case FORBIDDEN,
                        ADMISSION,
                        QUOTA,
                        NAMESPACE_ENDING,
                        OTHER_NODE,
                        NO_KUBECONFIG,
                        UNAUTHORIZED,
                        NO_RELATIONSHIP,
                        INVALID,
                        NOT_FOUND,
                        UNSUPPORTED -> true;
                case UNREACHABLE, TIMEOUT, GONE, CONFLICT, THROTTLED, SERVER_ERROR, UNREADABLE -> false;
            };
        }

        /** The kind as a metric label, in lower-case words joined by underscores. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
