package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.StatusException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One client's view of the changes: it projects them onto its filter and queues them for the connection. */
final class Watch {
    /** What the connection is to do next; false where the stream is over then. */
    @FunctionalInterface
    interface Message {
        boolean deliver(ServerExchange stream) throws IOException;
    }

    /** Ends the stream in order: the time is up, or the history is gone. */
    private static final Message END = stream -> {
        stream.end();
        return false;
    };
    /** Cuts the connection, as a broken network does. */
    static final Message CUT = stream -> {
        stream.drop();
        return false;
    };
    /** The client has gone; nothing is left to do. */
    static final Message GONE = stream -> false;

    private final ObjectStore.Filter filter;
    private final BlockingQueue<Message> queue = new LinkedBlockingQueue<>();

    Watch(ObjectStore.Filter filter) {
        this.filter = filter;
    }

    void offer(Message message) {
        queue.add(message);
    }

    void added(StoredObject object) {
        line("ADDED", object.bytes());
    }

    /** Queues the end of a watch whose history is gone. */
    void expired(long asked, long oldest) {
        StatusException refusal =
                StatusException.of(410, "Expired", "too old resource version: " + asked + " (" + oldest + ")");
        line("ERROR", Buffer.buffer(Json.bytes(refusal.status())));
        offer(END);
    }

    /** Queues how far the watch has come. */
    void bookmark(long revision) {
        ObjectNode object = Json.object();
        object.put("kind", filter.type().kind()).put("apiVersion", filter.type().apiVersion());
        object.putObject("metadata").put("resourceVersion", Long.toString(revision));
        line("BOOKMARK", Buffer.buffer(Json.bytes(object)));
    }

    /** Queues what a change means to this filter: an object may come into view, change, or go out of it. */
    void follow(ObjectStore.StoreChange change) {
        boolean seen = change.before().filter(filter::matches).isPresent();
        boolean matches = filter.matches(change.object());
        if (matches && !change.removed()) {
            line(seen ? "MODIFIED" : "ADDED", change.object().bytes());
        } else if (change.removed() ? matches : seen) {
            line("DELETED", change.object().bytes());
        }
    }

    /**
     * Serves the client until one side ends it, or the limit; the bookmark comes at the end and in each interval.
     *
     * @param bookmark queues a bookmark; empty where the client takes none
     */
    void serve(ServerExchange exchange, Duration limit, Optional<Runnable> bookmark, Duration bookmarkInterval)
            throws IOException, InterruptedException {
        exchange.openStream(() -> offer(GONE));
        long end = System.nanoTime() + limit.toNanos();
        long nextBookmark = System.nanoTime() + bookmarkInterval.toNanos();
        while (true) {
            long wakeAt = bookmark.isEmpty() ? end : Math.min(end, nextBookmark);
            Message message = queue.poll(wakeAt - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (message != null) {
                if (!message.deliver(exchange)) {
                    return;
                }
            } else if (System.nanoTime() >= wakeAt) {
                bookmark.ifPresent(Runnable::run);
                nextBookmark = System.nanoTime() + bookmarkInterval.toNanos();
                if (wakeAt == end) {
                    offer(END);
                }
            }
        }
    }

    private void line(String kind, Buffer object) {
        Buffer line = Buffer.buffer("{\"type\":\"" + kind + "\",\"object\":")
                .appendBuffer(object)
                .appendString("}\n");
        offer(stream -> {
            stream.send(line);
            return true;
        });
    }
}
