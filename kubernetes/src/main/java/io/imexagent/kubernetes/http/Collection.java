package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.JsonScanner;
import io.imexagent.kubernetes.json.UnreadableException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A collection of objects of one kind. {@code what} names it in messages; {@code selection} is the last part of the
 * query, with its ampersand.
 */
record Collection<T>(Resource<T> resource, String what, String path, String selection) {

    private static final FieldSelection PAGE_HEAD =
            FieldSelection.of("continue", "resourceVersion").longest(64 << 10, "continue");
    private static final int LONGEST_FIELD = 256;

    /** The number of objects of a page: the most that a failed call loses. */
    private static final int PAGE = 200;

    /** The number of complete pages after which the page size doubles again. */
    private static final int WHOLE_PAGES = 8;

    record ListResult<T>(CachedObjects<T> objects, String version) {}

    static <T> Collection<T> everywhere(Resource<T> resource) {
        return new Collection<>(resource, resource.kind() + "s of all namespaces", resource.path(""), "");
    }

    static <T> Collection<T> in(String namespace, Resource<T> resource) {
        return new Collection<>(
                resource, resource.kind() + "s of namespace " + namespace, resource.path(namespace), "");
    }

    /** The objects of a namespace that a {@code fieldSelector} selects. */
    static <T> Collection<T> in(String namespace, Resource<T> resource, String what, String fieldSelector) {
        return new Collection<>(
                resource, what, resource.path(namespace), "&fieldSelector=" + Call.encoded(fieldSelector));
    }

    /** The objects of a namespace that a {@code labelSelector} selects. */
    static <T> Collection<T> labelled(String namespace, Resource<T> resource, String what, String labelSelector) {
        return new Collection<>(
                resource, what, resource.path(namespace), "&labelSelector=" + Call.encoded(labelSelector));
    }

    /** The objects of all namespaces that a {@code fieldSelector} or {@code labelSelector} selects. */
    static <T> Collection<T> selected(Resource<T> resource, String what, String by, String selector) {
        return new Collection<>(resource, what, resource.path(""), "&" + by + "=" + Call.encoded(selector));
    }

    Call.Target target() {
        return new Call.Target(resource.group().name(), resource.plural(), what, "");
    }

    ListResult<T> list() throws ApiException {
        return list(uid -> true);
    }

    /** Lists all objects; fails also if one of them cannot be read. */
    List<T> all() throws ApiException {
        CachedObjects<T> objects = list().objects();
        if (objects.unread().count() > 0) {
            throw unread(objects);
        }
        return objects.all();
    }

    /** Lists the object of this UID; fails also if it may be one that cannot be read. */
    Optional<T> find(String uid) throws ApiException {
        return find(uid, kept(uid::equals));
    }

    /** Lists the current objects whose UID is picked. */
    CachedObjects<T> kept(Predicate<String> picked) throws ApiException {
        return list(picked).objects();
    }

    /** Finds the object of this UID among listed ones; fails if it may be one that cannot be read. */
    Optional<T> find(String uid, CachedObjects<T> objects) throws ApiException {
        Optional<T> found = objects.get(uid);
        if (found.isEmpty() && objects.mayBeUnread(uid)) {
            throw unread(objects);
        }
        return found;
    }

    ApiFailure gaveUp() {
        return ApiFailures.gaveUp(page("", PAGE));
    }

    private ApiException unread(CachedObjects<T> objects) {
        return new ApiException(new ApiFailure(
                ApiFailure.FailureKind.UNREADABLE,
                "cannot read all " + what + ": " + objects.unread(),
                Optional.empty()));
    }

    /**
     * Lists the objects whose UID is picked, page by page, and reads each page object by object. A response is never in
     * memory as a whole, so none is too large. With large objects, however, the server or a proxy may time out before
     * the end of a page: such a page is requested again with half as many objects, down to one.
     */
    private ListResult<T> list(Predicate<String> picked) throws ApiException {
        var listing = new ListReader(picked);
        String continuation = "";
        int size = PAGE;
        int whole = 0;
        while (true) {
            listing.started = false;
            try {
                FieldValues head =
                        resource.transport().stream(page(continuation, size), resource.limiter(), listing::read);
                continuation = head.text("continue");
                if (continuation.isEmpty()) {
                    return new ListResult<>(listing.objects, head.text("resourceVersion"));
                }
                if (++whole % WHOLE_PAGES == 0) {
                    size = Math.min(2 * size, PAGE);
                }
            } catch (ApiException e) {
                if (!listing.started || size == 1) {
                    throw e;
                }
                size /= 2;
                whole = 0;
            }
        }
    }

    private Call page(String continuation, int size) {
        String more = continuation.isEmpty() ? "" : "&continue=" + Call.encoded(continuation);
        return Call.of(Call.Verb.LIST, target(), path + "?limit=" + size + more + selection);
    }

    /**
     * The objects of the pages read so far. An incomplete page is read again, and some of its objects a second time.
     */
    private final class ListReader {

        private final CachedObjects<T> objects = new CachedObjects<>(resource.decoder());
        private final FieldSelection wanted = wanted();
        private final Predicate<String> picked;

        private boolean started;

        ListReader(Predicate<String> picked) {
            this.picked = picked;
        }

        /** Reads a page, whose metadata may be before or after the objects. */
        FieldValues read(JsonScanner body) throws IOException {
            if (body.next() != '{') {
                throw new UnreadableException("no JSON object");
            }
            var head = new FieldValues("");
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
                var object = new FieldValues("");
                try {
                    wanted.read(body, next == ',' ? body.next() : next, object);
                } catch (UnreadableException e) {
                    object.fault(ApiFailures.reason(e));
                    body.close(open);
                }
                String uid = object.text("metadata.uid");
                if (uid.isEmpty() || picked.test(uid)) {
                    var _ = objects.put(object);
                }
                started = true;
            }
        }
    }

    Call watch(String version, long seconds) {
        return Call.of(
                Call.Verb.WATCH,
                target(),
                path + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + Call.encoded(version)
                        + "&timeoutSeconds=" + seconds + selection);
    }

    /** The fields to read of an object: those that identify it, and those of the decoder. */
    FieldSelection wanted() {
        return resource.decoder().wanted().identified();
    }
}
