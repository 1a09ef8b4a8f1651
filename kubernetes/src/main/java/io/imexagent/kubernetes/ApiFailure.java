package io.imexagent.kubernetes;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Why a call failed, with object and remedy, fit for a pod's event; and how long the server wants to be left alone. */
public record ApiFailure(FailureKind kind, String message, Optional<Duration> retryAfter) {

    public enum FailureKind {
        /** No connection, a broken one, or TLS that failed. */
        UNREACHABLE,
        TIMEOUT,
        /** No call was made: the kubeconfig, or a file or plugin that it names, is missing or cannot be used. */
        NO_KUBECONFIG,
        /** 401: the server does not know who asks. */
        UNAUTHORIZED,
        /** 403: a rule is missing; the message names it. */
        FORBIDDEN,
        /** 403, or another code: an admission policy, webhook or plugin refuses it; the message names it. No missing rule. */
        ADMISSION,
        /** 403: a ResourceQuota of the namespace allows no more. */
        QUOTA,
        /** 403: the namespace is being deleted, and takes nothing new. */
        NAMESPACE_ENDING,
        /** 403 of the Node authorizer: no pod on this node (yet) leads to the object. No missing rule. */
        NO_RELATIONSHIP,
        /** 403 of the Node authorizer: the identity is that of another node than {@code node.name}. No missing rule. */
        OTHER_NODE,
        /** 404: the object, or the resource, does not exist. */
        NOT_FOUND,
        /** 409: another writer was faster, or the name is taken. */
        CONFLICT,
        /** 410: the version asked for is too old. */
        GONE,
        /** 422 or 400: the server does not take the object. */
        INVALID,
        /** 429: too many requests. */
        THROTTLED,
        /** 5xx: the server is in trouble. */
        SERVER_ERROR,
        /** The answer was no object of the expected kind. */
        UNREADABLE,
        /** The cluster does not serve {@code resource.k8s.io/v1}: it is older than 1.34. */
        UNSUPPORTED;

        /** Whether the answer is no, and will be until somebody changes something; else it passes by itself. */
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
