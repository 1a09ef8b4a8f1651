package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.ApiException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects of one kind that are listed and watched together.
 *
 * @param target what messages and metrics call them
 * @param path the path of the collection
 * @param selector a part of the query that picks objects out, encoded; empty for all of them
 * @param decoder reads one object
 * @param <T> what is kept of an object
 */
record Collection<T>(Call.Target target, String path, Optional<String> selector, Decoder<T> decoder) {

    private static final Logger LOG = LoggerFactory.getLogger(Collection.class);
    private static final WantedFields METADATA =
            WantedFields.of("metadata.uid", "metadata.namespace", "metadata.name", "metadata.resourceVersion");
    private static final WantedFields PAGE_HEAD = WantedFields.of("continue", "resourceVersion");
    private static final int LONGEST_NAME = 320;
    private static final int LONGEST_FIELD = 256;
    private static final int LONGEST_METADATA = 64 << 10;

    /** How many objects a page has; what a failed call wastes. */
    private static final int PAGE = 200;

    /**
     * The objects of a collection.
     *
     * @param objects what is kept of each, by UID
     * @param unread the UIDs of those that cannot be read; empty for those whose UID cannot be read either
     * @param version the version from which a watch goes on
     * @param <T> what is kept of an object
     */
    record Listed<T>(Map<String, T> objects, Set<String> unread, String version) {}

    /** Lists the collection, page by page, and of each page object by object. */
    Listed<T> list(Transport transport, RateLimiter limiter) throws ApiException {
        var objects = new LinkedHashMap<String, T>();
        var unread = new HashSet<String>();
        String continuation = "";
        while (true) {
            Fields head = transport.stream(page(continuation), limiter, body -> read(body, objects, unread));
            continuation = head.text("continue");
            if (continuation.isEmpty()) {
                return new Listed<>(objects, unread, head.text("resourceVersion"));
            }
        }
    }

    private Call page(String continuation) {
        String more = continuation.isEmpty() ? "" : "&continue=" + encoded(continuation);
        return Call.of(Call.Verb.LIST, target, path + "?limit=" + PAGE + more + selection());
    }

    private Fields read(JsonScanner body, Map<String, T> objects, Set<String> unread) throws IOException {
        if (body.next() != '{') {
            throw new UnreadableException("no JSON object");
        }
        var head = new Fields("");
        for (int first = body.next(); first != '}'; first = body.next()) {
            String name = body.value(first == ',' ? body.next() : first, LONGEST_FIELD)
                    .text();
            if (body.next() != ':') {
                throw new UnreadableException("no JSON object");
            }
            int value = body.next();
            if (name.equals("\"items\"") && value == '[') {
                for (int item = body.next(); item != ']'; item = body.next()) {
                    read(body.value(item == ',' ? body.next() : item, JsonScanner.LONGEST_OBJECT), objects, unread);
                }
            } else if (name.equals("\"metadata\"")) {
                head = PAGE_HEAD.read(body.value(value, LONGEST_METADATA).all(), "");
            } else {
                body.value(value, 0);
            }
        }
        if (head.text("continue").isEmpty()) {
            head.required("resourceVersion");
        }
        return head;
    }

    private void read(JsonScanner.Value item, Map<String, T> objects, Set<String> unread) {
        Fields about = identify(item, "");
        String uid = about.text("metadata.uid");
        decode(about, item, "").ifPresentOrElse(object -> objects.put(uid, object), () -> unread.add(uid));
    }

    /** The call for a watch from this version on. */
    Call watch(String version, long seconds) {
        return Call.of(
                Call.Verb.WATCH,
                target,
                path + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + encoded(version) + "&timeoutSeconds="
                        + seconds + selection());
    }

    /**
     * The metadata of an object; none where they cannot be read.
     *
     * @param text the object, or something that has the object in this field; the end may be missing
     */
    static Fields identify(JsonScanner.Value text, String inside) {
        try {
            return METADATA.readHead(text.text(), inside);
        } catch (IOException e) {
            // Reading the object itself says why.
            return new Fields("");
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

    private String selection() {
        return selector.map(query -> "&" + query).orElse("");
    }

    /** Text as a part of a path or of a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
