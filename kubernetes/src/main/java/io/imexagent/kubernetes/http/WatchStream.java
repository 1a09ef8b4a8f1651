package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.http.ApiFailures.StatusText;
import io.imexagent.kubernetes.json.Fields;
import io.imexagent.kubernetes.json.JsonScanner;
import io.imexagent.kubernetes.json.UnreadableException;
import io.imexagent.kubernetes.json.WantedFields;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The events of a watch as they come, one JSON object each. Read by one thread; any may close it. */
final class WatchStream implements AutoCloseable {

    private static final int LONGEST_FIELD = 256;

    private final Transport.Response response;
    private final WantedFields wanted;
    private final JsonScanner events;

    WatchStream(Transport.Response response, WantedFields wanted) {
        this.response = response;
        this.wanted = wanted.and(StatusText.WANTED);
        this.events = new JsonScanner(response.head().body());
    }

    /** What happened to an object; the object of a bookmark has a version alone, up to which nothing happened. */
    record Event(Kind kind, Fields object) {

        enum Kind {
            PRESENT,
            GONE,
            BOOKMARK
        }
    }

    /** The next event; empty where the server ended the watch. A stream that is silent for longer counts as broken. */
    Optional<Event> next(Duration wait) throws ApiException {
        try {
            response.head().body().allow(wait);
            int first = events.nextOrEnd();
            return first < 0 ? Optional.empty() : Optional.of(event(first));
        } catch (IOException e) {
            throw response.broken(e);
        }
    }

    private Event event(int first) throws IOException, ApiException {
        if (first != '{') {
            throw new UnreadableException("no JSON object");
        }
        events.begin();
        String type = "";
        Optional<Fields> object = Optional.empty();
        try {
            for (int next = events.next(); next != '}'; next = events.next()) {
                String name = events.name(next, LONGEST_FIELD).orElse("");
                int value = events.next();
                if (name.equals("object") && object.isEmpty()) {
                    object = Optional.of(new Fields(""));
                    wanted.read(events, value, object.get());
                } else if (name.equals("type") && value == '"') {
                    type = events.text(LONGEST_FIELD).orElse("");
                } else {
                    events.pass(value);
                }
            }
        } catch (UnreadableException e) {
            if (object.isEmpty()) {
                throw e;
            }
            // The rest of the event tells nothing, but where the next one begins.
            events.close(0);
            object.get().fault(ApiFailures.reason(e));
        }
        return event(type, object.orElseGet(WatchStream::none));
    }

    private static Fields none() {
        var none = new Fields("");
        none.fault("no JSON object");
        return none;
    }

    private Event event(String type, Fields object) throws UnreadableException, ApiException {
        return switch (type) {
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

    /** Ends the watch, and a reader that waits. */
    @Override
    public void close() {
        response.close();
    }
}
