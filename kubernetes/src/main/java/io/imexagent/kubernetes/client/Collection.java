package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.ApiException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

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

    private static final WantedFields PAGE_HEAD =
            WantedFields.of("continue", "resourceVersion").longest(64 << 10, "continue");
    private static final int LONGEST_FIELD = 256;

    /** How many objects a page has; what a failed call wastes. */
    private static final int PAGE = 200;

    /** After so many pages that came whole the next one may be larger again. */
    private static final int WHOLE_PAGES = 8;

    /**
     * The objects of a collection.
     *
     * @param objects what is kept of each, by UID
     * @param unread those that cannot be read
     * @param version the version from which a watch goes on
     * @param <T> what is kept of an object
     */
    record Listed<T>(Map<String, Kept<T>> objects, UnreadList unread, String version) {

        /** What is kept of each. */
        List<T> all() {
            return objects.values().stream().map(Kept::object).toList();
        }
    }

    /**
     * What is kept of an object.
     *
     * @param object that
     * @param namespace its namespace; empty where it is the cluster's
     * @param bytes what its fields cost in memory
     */
    record Kept<T>(T object, String namespace, int bytes) {}

    /** Lists the collection. */
    Listed<T> list(Transport transport, RateLimiter limiter) throws ApiException {
        return list(transport, limiter, uid -> true);
    }

    /**
     * Lists those objects whose UID is picked, page by page, and of each page object by object: no answer is ever in
     * memory, so none is too large. But a server may not get to the end of a page with large objects before it, or somebody
     * between, gives up: a page that breaks off is asked for again with half as many objects, down to one.
     */
    Listed<T> list(Transport transport, RateLimiter limiter, Predicate<String> picked) throws ApiException {
        var listing = new Listing(picked);
        String continuation = "";
        int size = PAGE;
        int whole = 0;
        while (true) {
            listing.begun = false;
            try {
                Fields head = transport.stream(page(continuation, size), limiter, listing::read);
                continuation = head.text("continue");
                if (continuation.isEmpty()) {
                    return new Listed<>(listing.objects, listing.unread, head.text("resourceVersion"));
                }
                if (++whole % WHOLE_PAGES == 0) {
                    size = Math.min(2 * size, PAGE);
                }
            } catch (ApiException e) {
                if (!listing.begun || size == 1) {
                    throw e;
                }
                size /= 2;
                whole = 0;
            }
        }
    }

    private Call page(String continuation, int size) {
        String more = continuation.isEmpty() ? "" : "&continue=" + encoded(continuation);
        return Call.of(Call.Verb.LIST, target, path + "?limit=" + size + more + selection());
    }

    /** What was read of the pages so far. */
    private final class Listing {

        private final Map<String, Kept<T>> objects = new LinkedHashMap<>();
        private final UnreadList unread = new UnreadList();
        private final WantedFields wanted = wanted();
        private final Predicate<String> picked;
        private final Room room = new Room();

        /** Whether an object of the present page was read. */
        private boolean begun;

        Listing(Predicate<String> picked) {
            this.picked = picked;
        }

        /** Reads a page; its metadata come before or behind the objects. */
        Fields read(JsonScanner body) throws IOException {
            if (body.next() != '{') {
                throw new UnreadableException("no JSON object");
            }
            var head = new Fields("");
            for (int first = body.next(); first != '}'; first = body.next()) {
                String name = body.name(first, LONGEST_FIELD).orElse("");
                int value = body.next();
                if (name.equals("items") && value == '[') {
                    items(body);
                } else if (name.equals("metadata")) {
                    PAGE_HEAD.read(body, value, head);
                } else {
                    body.pass(value);
                }
            }
            head.requireSound();
            if (head.text("continue").isEmpty()) {
                head.required("resourceVersion");
            }
            return head;
        }

        private void items(JsonScanner body) throws IOException {
            int open = body.depth();
            for (int next = body.next(); next != ']'; next = body.next()) {
                var object = new Fields("");
                try {
                    wanted.read(body, next == ',' ? body.next() : next, object);
                } catch (UnreadableException e) {
                    object.fault(ApiFailures.reason(e));
                    body.close(open);
                }
                add(object);
                begun = true;
            }
        }

        private void add(Fields object) {
            String uid = object.text("metadata.uid");
            if (!uid.isEmpty() && !picked.test(uid)) {
                return;
            }
            try {
                Kept<T> kept = keep(object);
                // A page that broke off is read again, some of its objects for the second time.
                long before = objects.containsKey(uid) ? objects.get(uid).bytes() : 0;
                take(room, before, kept, unread);
                objects.put(uid, kept);
                unread.remove(uid);
            } catch (IOException e) {
                unread.add(object, ApiFailures.reason(e));
            }
        }
    }

    /** The call for a watch from this version on. */
    Call watch(String version, long seconds) {
        return Call.of(
                Call.Verb.WATCH,
                target,
                path + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + encoded(version) + "&timeoutSeconds="
                        + seconds + selection());
    }

    /** Which fields of its objects are wanted: which one it is, and what the decoder wants. */
    WantedFields wanted() {
        return decoder.wanted().identified();
    }

    /**
     * What is kept of an object.
     *
     * @throws UnreadableException where it has a fault
     */
    Kept<T> keep(Fields object) throws IOException {
        T made = decoder.make(object);
        object.required("metadata.uid");
        return new Kept<>(made, object.text("metadata.namespace"), Math.min(object.spent(), decoder.most()));
    }

    /**
     * An object takes its room.
     *
     * @throws UnreadableException where there is none, which those that cannot be read are told
     */
    static void take(Room room, long before, Kept<?> kept, UnreadList unread) throws UnreadableException {
        try {
            room.take(kept.namespace(), before, kept.bytes());
        } catch (UnreadableException e) {
            unread.crowd();
            throw e;
        }
    }

    private String selection() {
        return selector.map(query -> "&" + query).orElse("");
    }

    /** Text as a part of a path or of a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
