package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.JsonScanner;
import io.imexagent.kubernetes.json.UnreadableException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The events of a watch, one JSON object each. One thread reads them; any thread may close the stream. */
final class WatchStream implements AutoCloseable {

    private static final int LONGEST_FIELD = 256;

    private final Transport.Response response;
    private final FieldSelection wanted;
    private final JsonScanner events;

    WatchStream(Transport.Response response, FieldSelection wanted) {
        this.response = response;
        this.wanted = wanted.and(StatusText.WANTED);
        this.events = new JsonScanner(response.head().body());
    }

    /** An event about an object. A bookmark's object has only a version, up to which all events were sent. */
    record StreamEvent(WatchEventType kind, FieldValues object) {

        enum WatchEventType {
            PRESENT,
            GONE,
            BOOKMARK
        }
    }

    /**
     * Waits for the next event; empty if the server ended the watch. A stream that is silent for longer than {@code
     * wait} counts as broken.
     */
    Optional<StreamEvent> next(Duration wait) throws ApiException {
        try {
            response.head().body().allow(wait);
            int first = events.nextOrEnd();
            return first < 0 ? Optional.empty() : Optional.of(event(first));
        } catch (IOException e) {
            throw response.broken(e);
        }
    }

    private StreamEvent event(int first) throws IOException, ApiException {
        if (first != '{') {
            throw new UnreadableException("no JSON object");
        }
        events.begin();
        String type = "";
        Optional<FieldValues> object = Optional.empty();
        try {
            for (int next = events.next(); next != '}'; next = events.next()) {
                String name = events.name(next, LONGEST_FIELD).orElse("");
                int value = events.next();
                if (name.equals("object") && object.isEmpty()) {
                    object = Optional.of(new FieldValues(""));
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
            // The rest of the event is skipped, to find the begin of the next one.
            events.close(0);
            object.get().fault(ApiFailures.reason(e));
        }
        return event(type, object.orElseGet(WatchStream::none));
    }

    private static FieldValues none() {
        var none = new FieldValues("");
        none.fault("no JSON object");
        return none;
    }

    private StreamEvent event(String type, FieldValues object) throws UnreadableException, ApiException {
        return switch (type) {
            case "ADDED", "MODIFIED" -> new StreamEvent(StreamEvent.WatchEventType.PRESENT, object);
            case "DELETED" -> new StreamEvent(StreamEvent.WatchEventType.GONE, object);
            case "BOOKMARK" -> new StreamEvent(StreamEvent.WatchEventType.BOOKMARK, object);
            case "ERROR" -> {
                StatusText status = StatusText.of(object);
                throw new ApiException(response.failure(status.code(), status));
            }
            default -> throw new UnreadableException("an event of unknown type");
        };
    }

    /** Ends the watch, and the wait of a reader. */
    @Override
    public void close() {
        response.close();
    }
}
