package io.imexagent.testing.api;

import io.imexagent.testing.api.http.Exchange;
import io.imexagent.testing.api.http.MessageStream;
import io.imexagent.testing.api.object.StatusException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Serves watches: a line for every change, bookmarks where the client takes them, until one side ends it. */
final class WatchHandler {
    /** A watch without timeoutSeconds ends after this, as on the real server, which picks 30 to 60 minutes. */
    private static final Duration LONGEST = Duration.ofMinutes(30);

    private final ObjectStore store;
    private final Duration bookmarkInterval;

    WatchHandler(ObjectStore store, Duration bookmarkInterval) {
        this.store = store;
        this.bookmarkInterval = bookmarkInterval;
    }

    void serve(Exchange exchange, Filter filter) throws IOException, InterruptedException {
        boolean bookmarks = flag(exchange, "allowWatchBookmarks");
        boolean initialEvents = flag(exchange, "sendInitialEvents");
        if (initialEvents && !bookmarks) {
            throw StatusException.badRequest(
                    "sendInitialEvents is forbidden for watch unless allowWatchBookmarks is true");
        }
        OptionalLong after = initialEvents ? OptionalLong.empty() : after(exchange);
        Duration limit = exchange.parameter("timeoutSeconds")
                .map(WatchHandler::number)
                .filter(seconds -> seconds > 0)
                .map(Duration::ofSeconds)
                .orElse(LONGEST);
        Watch watch = store.watch(filter, after, initialEvents);
        try {
            MessageStream stream = exchange.openStream(Answer.JSON);
            stream.onClientGone(() -> watch.offer(new WatchMessage.ClientGone()));
            pump(watch, stream, System.nanoTime() + limit.toNanos(), bookmarks);
        } finally {
            store.close(watch);
        }
    }

    private void pump(Watch watch, MessageStream stream, long end, boolean bookmarks)
            throws IOException, InterruptedException {
        boolean ended = false;
        long nextBookmark = System.nanoTime() + bookmarkInterval.toNanos();
        while (true) {
            long wakeAt = ended || !bookmarks ? end : Math.min(end, nextBookmark);
            Optional<WatchMessage> message = watch.next(Duration.ofNanos(Math.max(wakeAt - System.nanoTime(), 0)));
            if (message.isPresent()) {
                if (!deliver(message.get(), stream)) {
                    return;
                }
            } else if (System.nanoTime() >= end) {
                if (bookmarks && !ended) {
                    store.bookmark(watch);
                }
                watch.offer(new WatchMessage.End());
                ended = true;
            } else if (bookmarks && System.nanoTime() >= nextBookmark) {
                store.bookmark(watch);
                nextBookmark = System.nanoTime() + bookmarkInterval.toNanos();
            }
        }
    }

    /** Does what the message says; false where the stream is over. */
    private static boolean deliver(WatchMessage message, MessageStream stream) throws IOException {
        return switch (message) {
            case WatchMessage.Line line -> {
                stream.send(line.bytes());
                yield true;
            }
            case WatchMessage.End end -> {
                stream.end();
                yield false;
            }
            case WatchMessage.Cut cut -> {
                stream.drop();
                yield false;
            }
            case WatchMessage.ClientGone gone -> false;
        };
    }

    /** The revision to resume from; empty, like "0", asks for the objects of now first. */
    private static OptionalLong after(Exchange exchange) {
        String text = exchange.parameter("resourceVersion").orElse("");
        return text.isEmpty() || text.equals("0") ? OptionalLong.empty() : OptionalLong.of(number(text));
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw StatusException.badRequest("Invalid value: \"" + text + "\": not a number");
        }
    }

    private static boolean flag(Exchange exchange, String name) {
        return exchange.parameter(name)
                .filter(value -> value.equals("true") || value.equals("1"))
                .isPresent();
    }
}
