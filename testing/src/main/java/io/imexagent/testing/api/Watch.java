package io.imexagent.testing.api;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One client's view of the changes: it projects them onto its filter and queues them for the connection. */
final class Watch {
    private final Filter filter;
    private final BlockingQueue<WatchMessage> queue = new LinkedBlockingQueue<>();

    Watch(Filter filter) {
        this.filter = filter;
    }

    Filter filter() {
        return filter;
    }

    void offer(WatchMessage message) {
        queue.add(message);
    }

    /** Queues what a change means to this filter: an object may come into view, change, or go out of it. */
    void follow(Change change) {
        StoredObject object = change.object();
        switch (change) {
            case Change.Removed removed -> {
                if (filter.matches(object)) {
                    offer(WatchMessage.event("DELETED", object));
                }
            }
            case Change.Put put -> {
                boolean seen = put.before().filter(filter::matches).isPresent();
                boolean matches = filter.matches(object);
                if (matches) {
                    offer(WatchMessage.event(seen ? "MODIFIED" : "ADDED", object));
                } else if (seen) {
                    offer(WatchMessage.event("DELETED", object));
                }
            }
        }
    }

    /** The next message, or empty when the time is over. */
    Optional<WatchMessage> next(Duration limit) throws InterruptedException {
        return Optional.ofNullable(queue.poll(limit.toMillis(), TimeUnit.MILLISECONDS));
    }
}
