package io.imexagent.e2e.bench;

import io.imexagent.e2e.process.ApiDoubleProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Notes when slices are created at the API server double, by a watch of its own. */
final class SliceWatch implements AutoCloseable {

    private static final String PATH = "/apis/resource.k8s.io/v1/resourceslices?watch=true";
    private static final long LIMIT_SECONDS = 60;

    private final Stream<String> events;
    private final LinkedBlockingQueue<Long> created = new LinkedBlockingQueue<>();
    private volatile boolean closed;

    SliceWatch(ApiDoubleProcess api) throws IOException, InterruptedException {
        this.events = api.watch(PATH);
        Thread.ofPlatform().daemon().name("slice-watch").start(this::read);
    }

    private void read() {
        try {
            events.filter(line -> line.contains("\"ADDED\"")).forEach(line -> created.add(System.nanoTime()));
        } catch (UncheckedIOException ended) {
            if (!closed) {
                throw ended;
            }
        }
    }

    /** Forgets what was created so far. */
    void forget() {
        created.clear();
    }

    /** Waits for a slice and says when it came, as {@link System#nanoTime} counts. */
    long await() throws IOException, InterruptedException {
        Long when = created.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (when == null) {
            throw new IOException("no ResourceSlice was created within " + LIMIT_SECONDS + " s");
        }
        return when;
    }

    @Override
    public void close() {
        closed = true;
        events.close();
    }
}
