package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.ApiException;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Lists collections, page by page, and of each page object by object. */
final class Lister {

    private static final int LONGEST_NAME = 256;
    private static final int LONGEST_METADATA = 64 << 10;

    private Lister() {}

    /**
     * The objects of a collection.
     *
     * @param objects what is kept of each, by UID
     * @param unread the UIDs of those that cannot be read; empty for those whose UID cannot be read either
     * @param version the version from which a watch goes on
     * @param <T> what is kept of an object
     */
    record Listed<T>(Map<String, T> objects, Set<String> unread, String version) {}

    private static final WantedFields HEAD = WantedFields.of("continue", "resourceVersion");

    /** Lists all pages. */
    static <T> Listed<T> list(Transport transport, RateLimiter limiter, Collection<T> collection) throws ApiException {
        var objects = new LinkedHashMap<String, T>();
        var unread = new HashSet<String>();
        String continuation = "";
        while (true) {
            Fields head = transport.stream(
                    collection.list(continuation), limiter, body -> page(body, collection, objects, unread));
            continuation = head.text("continue");
            if (continuation.isEmpty()) {
                return new Listed<>(objects, unread, head.text("resourceVersion"));
            }
        }
    }

    private static <T> Fields page(
            JsonScanner body, Collection<T> collection, Map<String, T> objects, Set<String> unread) throws IOException {
        if (body.next() != '{') {
            throw new UnreadableException("no JSON object");
        }
        var head = new Fields("");
        for (int first = body.next(); first != '}'; first = body.next()) {
            String name =
                    body.value(first == ',' ? body.next() : first, LONGEST_NAME).text();
            if (body.next() != ':') {
                throw new UnreadableException("no JSON object");
            }
            int value = body.next();
            if (name.equals("\"items\"") && value == '[') {
                for (int item = body.next(); item != ']'; item = body.next()) {
                    item(
                            body.value(item == ',' ? body.next() : item, JsonScanner.LONGEST_OBJECT),
                            collection,
                            objects,
                            unread);
                }
            } else if (name.equals("\"metadata\"")) {
                head = HEAD.read(body.value(value, LONGEST_METADATA).all(), "");
            } else {
                body.value(value, 0);
            }
        }
        if (head.text("continue").isEmpty()) {
            head.required("resourceVersion");
        }
        return head;
    }

    private static <T> void item(
            JsonScanner.Value item, Collection<T> collection, Map<String, T> objects, Set<String> unread) {
        Fields about = collection.identify(item, "").orElseGet(() -> new Fields(""));
        String uid = about.text("metadata.uid");
        collection.decode(about, item, "").ifPresentOrElse(object -> objects.put(uid, object), () -> unread.add(uid));
    }
}
