package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.StatusException;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One client's view of the changes: it projects them onto its filter and queues them for the connection. */
final class Watch {
    /** What a watch tells its connection to do next. */
    sealed interface Message {
        /** Send this line. */
        record Line(Buffer bytes) implements Message {}

        /** End the stream in order: the time is up, or the history is gone. */
        record End() implements Message {}

        /** Cut the connection, as a broken network does. */
        record Cut() implements Message {}

        /** The client has gone; nothing is left to do. */
        record ClientGone() implements Message {}
    }

    private final ObjectStore.Filter filter;
    private final BlockingQueue<Message> queue = new LinkedBlockingQueue<>();

    Watch(ObjectStore.Filter filter) {
        this.filter = filter;
    }

    void offer(Message message) {
        queue.add(message);
    }

    void added(StoredObject object) {
        offer(line("ADDED", object.bytes()));
    }

    /** Queues the end of a watch whose history is gone. */
    void expired(long asked, long oldest) {
        StatusException refusal =
                StatusException.of(410, "Expired", "too old resource version: " + asked + " (" + oldest + ")");
        offer(line("ERROR", Buffer.buffer(Json.bytes(refusal.status()))));
        offer(new Message.End());
    }

    /** Queues how far the watch has come. */
    void bookmark(long revision) {
        ObjectNode object = Json.object();
        object.put("kind", filter.type().kind()).put("apiVersion", filter.type().apiVersion());
        object.putObject("metadata").put("resourceVersion", Long.toString(revision));
        offer(line("BOOKMARK", Buffer.buffer(Json.bytes(object))));
    }

    /**
     * Queues what a change means to this filter: an object may come into view, change, or go out of it.
     *
     * @param before the object before the change; empty where it was not there
     * @param object the object after it; of a removal its last state, under the revision of the removal
     */
    void follow(Optional<StoredObject> before, StoredObject object, boolean removed) {
        boolean seen = before.filter(filter::matches).isPresent();
        boolean matches = filter.matches(object);
        if (matches && !removed) {
            offer(line(seen ? "MODIFIED" : "ADDED", object.bytes()));
        } else if (removed ? matches : seen) {
            offer(line("DELETED", object.bytes()));
        }
    }

    /** The next message, or empty when the time is over. */
    Optional<Message> next(Duration limit) throws InterruptedException {
        return Optional.ofNullable(queue.poll(limit.toMillis(), TimeUnit.MILLISECONDS));
    }

    private static Message line(String kind, Buffer object) {
        return new Message.Line(Buffer.buffer("{\"type\":\"" + kind + "\",\"object\":")
                .appendBuffer(object)
                .appendString("}\n"));
    }
}
