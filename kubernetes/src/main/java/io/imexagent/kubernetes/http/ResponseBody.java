package io.imexagent.kubernetes.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A body as it comes in, at the reader's pace; each wait has an end. Read by one thread; any may close it. */
final class ResponseBody extends InputStream implements BodySubscriber<ResponseBody> {

    /** A page of any size gets through to a reader that is slow, and a server that is slower than this is late. */
    private static final long NANOS_FOR_A_BYTE = 1000;

    /** What came in; empty for the end. */
    private final LinkedBlockingQueue<Optional<List<ByteBuffer>>> pieces = new LinkedBlockingQueue<>();

    private final ArrayDeque<ByteBuffer> buffers = new ArrayDeque<>();
    private Flow.@Nullable Subscription subscription;
    private Optional<Throwable> broken = Optional.empty();
    private boolean closed;
    private long deadline = System.nanoTime();

    /** Sets how long reading may take from now on; what comes in gives more time, a second for each megabyte. */
    void allow(Duration time) {
        deadline = System.nanoTime() + time.toNanos();
    }

    @Override
    public CompletionStage<ResponseBody> getBody() {
        // At once: the head is wanted before the body is there.
        return CompletableFuture.completedStage(this);
    }

    @Override
    public synchronized void onSubscribe(Flow.Subscription to) {
        if (closed) {
            to.cancel();
        } else {
            subscription = to;
            to.request(1);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> next) {
        pieces.add(Optional.of(next));
    }

    @Override
    public void onError(Throwable cause) {
        end(Optional.of(cause));
    }

    @Override
    public void onComplete() {
        end(Optional.empty());
    }

    private synchronized void end(Optional<Throwable> cause) {
        // What has ended is not cancelled: its connection serves others already.
        subscription = null;
        broken = broken.or(() -> cause);
        pieces.add(Optional.empty());
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /** Fails where nothing came in time, where the reader was interrupted, and where the connection broke or was closed. */
    @Override
    public int read(byte[] into, int from, int most) throws IOException {
        while (buffers.isEmpty() || !buffers.getFirst().hasRemaining()) {
            if (buffers.poll() == null && !receive()) {
                return -1;
            }
        }
        int length = Math.min(most, buffers.getFirst().remaining());
        buffers.getFirst().get(into, from, length);
        return length;
    }

    private boolean receive() throws IOException {
        Optional<List<ByteBuffer>> piece;
        try {
            piece = pieces.poll(Math.max(deadline - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
        if (piece == null) {
            throw new HttpTimeoutException("nothing came in time");
        }
        for (ByteBuffer buffer : piece.orElse(List.of())) {
            deadline += buffer.remaining() * NANOS_FOR_A_BYTE;
            buffers.add(buffer);
        }
        return goesOn(piece.isEmpty());
    }

    private synchronized boolean goesOn(boolean ended) throws IOException {
        if (subscription != null) {
            subscription.request(1);
        }
        if (ended) {
            // Who reads on finds the end again.
            pieces.add(Optional.empty());
            if (broken.isPresent()) {
                throw broken.get() instanceof IOException io ? io : new IOException(broken.get());
            }
        }
        return !ended;
    }

    /** Gives up what has not come yet, and with it the connection. Ends a reader that waits. */
    @Override
    public synchronized void close() {
        closed = true;
        Flow.Subscription from = subscription;
        end(Optional.of(new IOException("cancelled")));
        if (from != null) {
            from.cancel();
        }
    }
}
