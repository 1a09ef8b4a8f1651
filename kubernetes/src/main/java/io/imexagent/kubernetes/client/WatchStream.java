package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.ApiException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The events of a watch as they come, one JSON object each. Read by one thread; any may close it. */
final class WatchStream implements AutoCloseable {

    private static final String TYPE = "type";
    private static final String OBJECT = "object";

    private final Transport.Response response;
    private final WantedFields wanted;
    private final JsonScanner events;

    WatchStream(Transport.Response response, WantedFields wanted) {
        this.response = response;
        this.wanted = WantedFields.ofEnvelope(TYPE, OBJECT, wanted, StatusText.WANTED);
        this.events = new JsonScanner(response.head().body());
    }

    /**
     * The next event.
     *
     * @param wait how long the stream may be silent before it counts as broken
     * @return empty where the server ended the watch
     * @throws ApiException where the connection broke, or the server sent an error
     */
    Optional<Event> next(Duration wait) throws ApiException {
        try {
            response.head().body().allow(wait);
            int first = events.nextOrEnd();
            return first < 0 ? Optional.empty() : Optional.of(event(first));
        } catch (UnreadableException e) {
            throw response.unreadable(e);
        } catch (IOException e) {
            throw response.broken(e);
        }
    }

    private Event event(int first) throws IOException, ApiException {
        var fields = new Fields("");
        try {
            wanted.read(events, first, fields);
        } catch (UnreadableException e) {
            if (fields.part(OBJECT).isEmpty()) {
                throw e;
            }
            // The rest of the event tells nothing, but where the next one begins.
            events.close(0);
            fields.part(OBJECT).get().fault(ApiFailures.reason(e));
        }
        Fields object = fields.part(OBJECT).orElseGet(() -> faulty("no JSON object"));
        return switch (fields.text(TYPE)) {
            case "ADDED", "MODIFIED" -> new Event(Event.Kind.PRESENT, object);
            case "DELETED" -> new Event(Event.Kind.GONE, object);
            case "BOOKMARK" -> new Event(Event.Kind.BOOKMARK, object);
            case "ERROR" -> {
                StatusText status = StatusText.of(object);
                throw new ApiException(response.failure(status.code(), status));
            }
            default -> throw new UnreadableException("an event of unknown type");
        };
    }

    private static Fields faulty(String reason) {
        var none = new Fields("");
        none.fault(reason);
        return none;
    }

    /** Ends the watch, and a reader that waits. */
    @Override
    public void close() {
        response.close();
    }

    /**
     * What a watch tells.
     *
     * @param kind what happened to the object
     * @param object the fields of the object that are wanted
     */
    record Event(Kind kind, Fields object) {

        /** What may happen. */
        enum Kind {
            /** The object is there, new or changed. */
            PRESENT,
            /** The object is no more. */
            GONE,
            /** Nothing changed up to a version, which is all that the object has. */
            BOOKMARK
        }
    }
}
