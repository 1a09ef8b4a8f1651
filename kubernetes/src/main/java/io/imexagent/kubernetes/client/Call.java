package io.imexagent.kubernetes.client;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * One request to the API server.
 *
 * @param path path and query, encoded, with a slash in front
 * @param body the body, JSON; empty where there is none
 * @param limit how long the server may take to answer in full, where that is less than it may usually
 */
record Call(Verb verb, Target target, String path, Optional<String> body, Optional<Duration> limit) {

    static Call of(Verb verb, Target target, String path) {
        return new Call(verb, target, path, Optional.empty(), Optional.empty());
    }

    /** What a call that failed could not do, as the beginning of a sentence. */
    String cannot() {
        return "cannot " + verb.word + " " + target.object();
    }

    /** The API verbs in use, as RBAC rules name them. */
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

        /** The media type of the body. */
        String contentType() {
            return this == PATCH ? "application/merge-patch+json" : "application/json";
        }
    }

    /**
     * What a call is about.
     *
     * @param group the API group, empty for the core group
     * @param plural the resource in plural; a path for what is no resource
     * @param object the object in a sentence, such as {@code ResourceClaim ns/name}
     * @param name the object's name; empty for collections
     */
    record Target(String group, String plural, String object, String name) {

        /** The resource as metrics and RBAC rules call it. */
        String label() {
            return group.isEmpty() ? plural : plural + "." + group;
        }
    }
}
