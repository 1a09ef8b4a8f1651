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

/** Objects of one kind, {@code what} in messages; {@code selection} is the end of a query, with its ampersand. */
record Collection<T>(Resource<T> resource, String what, String path, String selection) {

    private static final FieldSelection PAGE_HEAD =
            FieldSelection.of("continue", "resourceVersion").longest(64 << 10, "continue");
    private static final int LONGEST_FIELD = 256;

    /** How many objects a page has; what a failed call wastes. */
    private static final int PAGE = 200;

    /** After so many pages that came whole the next one may be larger again. */
    private static final int WHOLE_PAGES = 8;

    record ListResult<T>(CachedObjects<T> objects, String version) {}

    static <T> Collection<T> everywhere(Resource<T> resource) {
        return new Collection<>(resource, resource.kind() + "s of all namespaces", resource.path(""), "");
    }

    static <T> Collection<T> in(String namespace, Resource<T> resource) {
        return new Collection<>(
                resource, resource.kind() + "s of namespace " + namespace, resource.path(namespace), "");
    }

    /** The objects of a namespace that a {@code fieldSelector} picks out. */
    static <T> Collection<T> in(String namespace, Resource<T> resource, String what, String fieldSelector) {
        return new Collection<>(
                resource, what, resource.path(namespace), "&fieldSelector=" + Call.encoded(fieldSelector));
    }

    /** The objects of a namespace that a {@code labelSelector} picks out. */
    static <T> Collection<T> labelled(String namespace, Resource<T> resource, String what, String labelSelector) {
        return new Collection<>(
                resource, what, resource.path(namespace), "&labelSelector=" + Call.encoded(labelSelector));
    }

    /** The objects of all namespaces that a {@code fieldSelector} or {@code labelSelector} picks out. */
    static <T> Collection<T> selected(Resource<T> resource, String what, String by, String selector) {
        return new Collection<>(resource, what, resource.path(""), "&" + by + "=" + Call.encoded(selector));
    }

    Call.Target target() {
        return new Call.Target(resource.group().name(), resource.plural(), what, "");
    }

    ListResult<T> list() throws ApiException {
        return list(uid -> true);
    }

    /** All objects; fails also where one of them cannot be read. */
    List<T> all() throws ApiException {
        CachedObjects<T> objects = list().objects();
        if (objects.unread().count() > 0) {
            throw unread(objects);
        }
        return objects.all();
    }

    /** Looks for the object of this UID; fails also where it may be one that cannot be read. */
    Optional<T> find(String uid) throws ApiException {
        return find(uid, kept(uid::equals));
    }

    /** The objects whose UID is picked, as they are now. */
    CachedObjects<T> kept(Predicate<String> picked) throws ApiException {
        return list(picked).objects();
    }

    /** The object of this UID among those that were kept; fails where it may be one that cannot be read. */
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
     * Lists those objects whose UID is picked, page by page, and of each page object by object: no answer is ever in
     * memory, so none is too large. But a server may not get to the end of a page with large objects before it, or a proxy
     * between, gives up: a page that breaks off is asked for again with half as many objects, down to one.
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

    /** What was read of the pages so far. A page that broke off is read again, some of its objects for the second time. */
    private final class ListReader {

        private final CachedObjects<T> objects = new CachedObjects<>(resource.decoder());
        private final FieldSelection wanted = wanted();
        private final Predicate<String> picked;

        private boolean started;

        ListReader(Predicate<String> picked) {
            this.picked = picked;
        }

        /** Reads a page; its metadata come before or behind the objects. */
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

    /** Which fields of its objects are wanted: which one it is, and what the decoder wants. */
    FieldSelection wanted() {
        return resource.decoder().wanted().identified();
    }
}
