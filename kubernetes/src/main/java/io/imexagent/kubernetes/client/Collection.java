package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Objects of one kind that are listed and watched together.
 *
 * @param target what messages and metrics call them
 * @param path the path of the collection
 * @param selector a field selector; empty for all objects
 * @param decoder reads one object
 * @param <T> what is kept of an object
 */
record Collection<T>(Call.Target target, String path, Optional<String> selector, Decoder<T> decoder) {

    /** How many objects a page has; bounds the memory that a list takes while it is read. */
    private static final int PAGE = 200;

    /**
     * Reads one object.
     *
     * @param <T> what is kept of it
     */
    @FunctionalInterface
    interface Decoder<T> {

        /**
         * Reads an object.
         *
         * @throws IOException where it is none of this kind
         */
        T decode(JsonNode object) throws IOException;
    }

    /** The call for a page of the list. */
    Call list(String continuation) {
        String more = continuation.isEmpty() ? "" : "&continue=" + encoded(continuation);
        return Call.of(Call.Verb.LIST, target, path + "?limit=" + PAGE + more + fieldSelector());
    }

    /** The call for a watch from this version on. */
    Call watch(String version, long seconds) {
        return Call.of(
                Call.Verb.WATCH,
                target,
                path + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + encoded(version) + "&timeoutSeconds="
                        + seconds + fieldSelector());
    }

    private String fieldSelector() {
        return selector.map(text -> "&fieldSelector=" + encoded(text)).orElse("");
    }

    /** Text as a part of a path or of a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
