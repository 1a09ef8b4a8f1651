package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiFailure;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** One request, its path with the encoded query; {@code limit} bounds its answer where that is less than usual. */
record Call(Verb verb, Target target, String path, Optional<String> body, Optional<Duration> limit) {

    static Call of(Verb verb, Target target, String path) {
        return new Call(verb, target, path, Optional.empty(), Optional.empty());
    }

    /** A text as it stands in a path or a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** The failure of this call, for a reason that is a clause. */
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
        /** A patch of the form of server-side apply. */
        APPLY("PATCH", "write"),
        DELETE("DELETE", "delete");

        private final String method;
        private final String word;

        Verb(String method, String word) {
            this.method = method;
            this.word = word;
        }

        /** The verb as rules name it. */
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

    /** What a call is about: resource or path, the object in a sentence, and its name, empty for collections. */
    record Target(String group, String plural, String object, String name) {

        String label() {
            return group.isEmpty() ? plural : plural + "." + group;
        }
    }
}
