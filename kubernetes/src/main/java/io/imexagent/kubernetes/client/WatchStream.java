package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** The events of a watch as they come: one JSON object a line. Read by one thread; any may close it. */
final class WatchStream implements AutoCloseable {

    /** An object in etcd has at most 1.5 MiB. */
    private static final int LONGEST_LINE = 4 << 20;

    private final Call call;
    private final Session session;
    private final Incoming incoming;
    private final ArrayDeque<byte[]> lines = new ArrayDeque<>();
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();
    private final AtomicBoolean closed = new AtomicBoolean();

    WatchStream(Call call, Session session, Incoming incoming) {
        this.call = call;
        this.session = session;
        this.incoming = incoming;
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
            while (lines.isEmpty()) {
                Optional<ByteBuffer> piece = incoming.next(wait);
                if (piece.isEmpty()) {
                    return Optional.empty();
                }
                split(piece.get().array());
            }
            return Optional.of(event(lines.remove()));
        } catch (IOException | TimeoutException e) {
            throw new ApiException(ApiFailures.of(call, session.access(), e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ApiFailures.gaveUp(call), e);
        }
    }

    private void split(byte[] piece) throws IOException {
        int from = 0;
        for (int at = 0; at < piece.length; at++) {
            if (piece[at] == '\n') {
                rest.write(piece, from, at - from);
                if (rest.size() > 0) {
                    lines.add(rest.toByteArray());
                    rest.reset();
                }
                from = at + 1;
            }
        }
        rest.write(piece, from, piece.length - from);
        if (rest.size() > LONGEST_LINE) {
            throw new IOException("an event is longer than " + LONGEST_LINE + " bytes");
        }
    }

    private Event event(byte[] line) throws ApiException {
        JsonNode root;
        String type;
        try {
            root = Json.tree(line);
            type = Json.required(root, "type");
        } catch (IOException e) {
            throw new ApiException(
                    ApiFailures.unreadable(call, session.access().server().toString(), e), e);
        }
        JsonNode object = root.path("object");
        return switch (type) {
            case "ADDED", "MODIFIED" -> new Event.Present(object);
            case "DELETED" -> new Event.Gone(object);
            case "BOOKMARK" -> new Event.Bookmark(object);
            case "ERROR" -> {
                ApiFailure failure = ApiFailures.of(call, session.access(), StatusText.of(object));
                throw new ApiException(failure);
            }
            default ->
                throw new ApiException(ApiFailures.unreadable(
                        call, session.access().server().toString(), new IOException("event of unknown type")));
        };
    }

    /** Ends the watch, and a reader that waits. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            incoming.cancel();
            session.release();
        }
    }

    /** What a watch tells. */
    sealed interface Event {

        /** The object, with metadata. */
        JsonNode object();

        /**
         * The object is there, new or changed.
         *
         * @param object the object
         */
        record Present(JsonNode object) implements Event {}

        /**
         * The object is no more.
         *
         * @param object the object as it was
         */
        record Gone(JsonNode object) implements Event {}

        /**
         * Nothing changed up to a version.
         *
         * @param object an object with nothing but the version
         */
        record Bookmark(JsonNode object) implements Event {}
    }
}
