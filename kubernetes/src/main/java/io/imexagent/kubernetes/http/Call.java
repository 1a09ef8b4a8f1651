package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiFailure;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** One request; its path includes the encoded query. {@code limit} is its timeout, if shorter than the usual one. */
record Call(Verb verb, Target target, String path, Optional<String> body, Optional<Duration> limit) {

    static Call of(Verb verb, Target target, String path) {
        return new Call(verb, target, path, Optional.empty(), Optional.empty());
    }

    /** Encodes a text for a path or a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Creates the failure of this call; the reason is a clause. */
    ApiFailure failed(ApiFailure.FailureKind kind, String why) {
        return failed(kind, why, Optional.empty());
    }

    ApiFailure failed(ApiFailure.FailureKind kind, String why, Optional<Duration> retryAfter) {
        return new ApiFailure(kind, "cannot " + verb.word + " " + target.object() + ": " + why, retryAfter);
    }

    enum Verb {
        GET("GET", "read"),
        LIST("GET", "list"),
        WATCH("GET", "watch"),
        CREATE("POST", "create"),
        UPDATE("PUT", "replace"),
        PATCH("PATCH", "patch"),
        /** A patch by server-side apply. */
        APPLY("PATCH", "write"),
        DELETE("DELETE", "delete");

        private final String method;
        private final String word;

        Verb(String method, String word) {
            this.method = method;
            this.word = word;
        }

        /** The verb in RBAC rules. */
        String label() {
            return (this == APPLY ? PATCH : this).name().toLowerCase(Locale.ROOT);
        }

        String method() {
            return method;
        }

        String contentType() {
            return switch (this) {
                case PATCH -> "application/merge-patch+json";
                case APPLY -> "application/apply-patch+yaml";
                case GET, LIST, WATCH, CREATE, UPDATE, DELETE -> "application/json";
            };
        }
    }

    /**
     * The target of a call: its resource or path, the object as part of a sentence, and the object's name, empty for
     * collections.
     */
    record Target(String group, String plural, String object, String name) {

        String label() {
            return group.isEmpty() ? plural : plural + "." + group;
        }
    }
}
