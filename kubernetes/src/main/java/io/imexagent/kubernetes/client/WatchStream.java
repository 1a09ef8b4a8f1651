package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.ApiException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The events of a watch as they come, one JSON object each. Read by one thread; any may close it. */
final class WatchStream implements AutoCloseable {

    private static final WantedFields TYPE = WantedFields.of("type");

    private final Transport.Response response;
    private final JsonScanner events;

    WatchStream(Transport.Response response) {
        this.response = response;
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
            int first = events.next();
            return first < 0 ? Optional.empty() : Optional.of(event(events.value(first, JsonScanner.LONGEST_OBJECT)));
        } catch (UnreadableException e) {
            throw response.unreadable(e);
        } catch (IOException e) {
            throw response.broken(e);
        }
    }

    private Event event(JsonScanner.Value text) throws ApiException {
        try {
            String type = TYPE.readHead(text.text(), "").text("type");
            return switch (type) {
                case "ADDED", "MODIFIED" -> new Event(Event.Kind.PRESENT, text);
                case "DELETED" -> new Event(Event.Kind.GONE, text);
                case "BOOKMARK" -> new Event(Event.Kind.BOOKMARK, text);
                case "ERROR" -> {
                    StatusText status = StatusText.DECODER.decode(text.all(), Event.OBJECT);
                    throw new ApiException(response.failure(status.code(), status));
                }
                default -> throw new UnreadableException("an event of unknown type");
            };
        } catch (IOException e) {
            throw response.unreadable(e);
        }
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
     * @param text the event, with the object
     */
    record Event(Kind kind, JsonScanner.Value text) {

        /** The field of the event that holds the object. */
        static final String OBJECT = "object";

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
