package io.imexagent.kubernetes.client;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    private static final Logger LOG = LoggerFactory.getLogger(Collection.class);
    private static final WantedFields METADATA =
            WantedFields.of("metadata.uid", "metadata.namespace", "metadata.name", "metadata.resourceVersion");
    private static final int LONGEST_NAME = 320;

    /** How many objects a page has; what a failed call wastes. */
    private static final int PAGE = 200;

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

    /**
     * The metadata of an object; empty where they cannot be read.
     *
     * @param text the object, or something that has the object in this field; the end may be missing
     */
    Optional<Fields> identify(JsonScanner.Value text, String inside) {
        try {
            return Optional.of(METADATA.readHead(text.text(), inside));
        } catch (IOException e) {
            // Reading the object itself says why.
            return Optional.empty();
        }
    }

    /** What is kept of an object; one that cannot be read is reported, and costs itself only. */
    Optional<T> decode(Fields metadata, JsonScanner.Value text, String inside) {
        try {
            T object = decoder.decode(text.all(), inside);
            metadata.required("metadata.uid");
            return Optional.of(object);
        } catch (IOException e) {
            report(metadata, e);
            return Optional.empty();
        }
    }

    private void report(Fields metadata, IOException fault) {
        String name = metadata.path();
        LOG.warn(
                "object cannot be read and is left out resource={} name={} error=\"{}\"",
                target.label(),
                name.substring(0, Math.min(name.length(), LONGEST_NAME)),
                ApiFailures.reason(fault));
    }

    private String fieldSelector() {
        return selector.map(text -> "&fieldSelector=" + encoded(text)).orElse("");
    }

    /** Text as a part of a path or of a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
