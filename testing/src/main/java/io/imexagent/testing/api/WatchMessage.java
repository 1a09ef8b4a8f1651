package io.imexagent.testing.api;

import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.nio.charset.StandardCharsets;

/** What a watch tells its connection to do next. */
sealed interface WatchMessage {
    /** Send this line. */
    final class Line implements WatchMessage {
        private final byte[] bytes;

        private Line(byte[] bytes) {
            this.bytes = bytes;
        }

        byte[] bytes() {
            return bytes;
        }
    }

    /** End the stream in order: the time is up, or the history is gone. */
    record End() implements WatchMessage {}

    /** Cut the connection, as a broken network does. */
    record Cut() implements WatchMessage {}

    /** The client has gone; nothing is left to do. */
    record ClientGone() implements WatchMessage {}

    /** The line of an event about an object. */
    static Line event(String kind, StoredObject object) {
        return line(kind, object.bytes());
    }

    /** The line that ends a watch whose history is gone. */
    static Line error(StatusException refusal) {
        return line("ERROR", Json.bytes(refusal.status()));
    }

    /** The line that tells how far the watch has come. */
    static Line bookmark(ResourceType type, long revision, boolean endOfInitialEvents) {
        var object = Json.object();
        object.put("kind", type.kind()).put("apiVersion", type.apiVersion());
        var metadata = object.putObject("metadata").put("resourceVersion", Long.toString(revision));
        if (endOfInitialEvents) {
            metadata.putObject("annotations").put("k8s.io/initial-events-end", "true");
        }
        return line("BOOKMARK", Json.bytes(object));
    }

    private static Line line(String kind, byte[] object) {
        byte[] start = ("{\"type\":\"" + kind + "\",\"object\":").getBytes(StandardCharsets.US_ASCII);
        byte[] line = new byte[start.length + object.length + 2];
        System.arraycopy(start, 0, line, 0, start.length);
        System.arraycopy(object, 0, line, start.length, object.length);
        line[line.length - 2] = '}';
        line[line.length - 1] = '\n';
        return new Line(line);
    }
}
