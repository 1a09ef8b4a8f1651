package io.imexagent.kubernetes;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * One request to the API server. The path has the query, encoded; the body is JSON; {@code limit} is how long the server
 * may take to answer in full, where that is less than usual.
 */
record Call(Verb verb, Target target, String path, Optional<String> body, Optional<Duration> limit) {

    static Call of(Verb verb, Target target, String path) {
        return new Call(verb, target, path, Optional.empty(), Optional.empty());
    }

    /** The beginning of a sentence about a call that failed. */
    String cannot() {
        return "cannot " + verb.word + " " + target.object();
    }

    enum Verb {
        GET("GET", "read"),
        LIST("GET", "list"),
        WATCH("GET", "watch"),
        CREATE("POST", "create"),
        UPDATE("PUT", "replace"),
        PATCH("PATCH", "patch"),
        DELETE("DELETE", "delete");

        private final String method;
        private final String word;

        Verb(String method, String word) {
            this.method = method;
            this.word = word;
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        String method() {
            return method;
        }

        String contentType() {
            return this == PATCH ? "application/merge-patch+json" : "application/json";
        }
    }

    /**
     * What a call is about: the resource in plural, or the path of what is none; the object in a sentence, such as
     * {@code ResourceClaim ns/name}; and its name, which is empty for collections.
     */
    record Target(String group, String plural, String object, String name) {

        String label() {
            return group.isEmpty() ? plural : plural + "." + group;
        }
    }
}
