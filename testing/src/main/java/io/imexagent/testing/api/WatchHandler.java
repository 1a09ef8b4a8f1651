package io.imexagent.testing.api;

import io.imexagent.testing.api.http.Exchange;
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

    void serve(Exchange exchange, ObjectStore.Filter filter) throws IOException, InterruptedException {
        // Without a version, as with "0", the objects of now come first.
        OptionalLong after = exchange.parameter("resourceVersion")
                .filter(text -> !text.isEmpty() && !text.equals("0"))
                .map(text -> OptionalLong.of(number(text)))
                .orElseGet(OptionalLong::empty);
        Duration limit = exchange.parameter("timeoutSeconds")
                .map(WatchHandler::number)
                .filter(seconds -> seconds > 0)
                .map(Duration::ofSeconds)
                .orElse(LONGEST);
        Watch watch = store.watch(filter, after);
        try {
            exchange.openStream(Answer.JSON, () -> watch.offer(new Watch.Message.ClientGone()));
            pump(watch, exchange, System.nanoTime() + limit.toNanos(), exchange.flag("allowWatchBookmarks"));
        } finally {
            store.close(watch);
        }
    }

    private void pump(Watch watch, Exchange stream, long end, boolean bookmarks)
            throws IOException, InterruptedException {
        boolean ended = false;
        long nextBookmark = System.nanoTime() + bookmarkInterval.toNanos();
        while (true) {
            long wakeAt = ended || !bookmarks ? end : Math.min(end, nextBookmark);
            Optional<Watch.Message> message = watch.next(Duration.ofNanos(Math.max(wakeAt - System.nanoTime(), 0)));
            if (message.isPresent()) {
                if (!deliver(message.get(), stream)) {
                    return;
                }
            } else if (System.nanoTime() >= end) {
                if (bookmarks && !ended) {
                    store.bookmark(watch);
                }
                watch.offer(new Watch.Message.End());
                ended = true;
            } else if (bookmarks && System.nanoTime() >= nextBookmark) {
                store.bookmark(watch);
                nextBookmark = System.nanoTime() + bookmarkInterval.toNanos();
            }
        }
    }

    /** Does what the message says; false where the stream is over. */
    private static boolean deliver(Watch.Message message, Exchange stream) throws IOException {
        switch (message) {
            case Watch.Message.Line line -> stream.send(line.bytes());
            case Watch.Message.End end -> stream.end();
            case Watch.Message.Cut cut -> stream.drop();
            case Watch.Message.ClientGone gone -> {}
        }
        return message instanceof Watch.Message.Line;
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw StatusException.badRequest("Invalid value: \"" + text + "\": not a number");
        }
    }
}
