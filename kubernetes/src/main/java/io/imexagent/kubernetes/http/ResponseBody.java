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

/**
 * A response's body, received at the reader's pace; every wait has a timeout. One thread reads it; any thread may close
 * it.
 */
final class ResponseBody extends InputStream implements BodySubscriber<ResponseBody> {

    /**
     * The time that each received byte adds to the deadline. A slow reader can thus read a page of any size, and a
     * server that sends more slowly times out.
     */
    private static final long NANOS_FOR_A_BYTE = 1000;

    /** The received buffers; empty marks the end. */
    private final LinkedBlockingQueue<Optional<List<ByteBuffer>>> pieces = new LinkedBlockingQueue<>();

    private final ArrayDeque<ByteBuffer> buffers = new ArrayDeque<>();
    private Flow.@Nullable Subscription subscription;
    private Optional<Throwable> broken = Optional.empty();
    private boolean ended;
    private boolean closed;
    private long deadline = System.nanoTime();

    /** Sets how long reading may take from now on; received bytes extend it by a second for each megabyte. */
    void allow(Duration time) {
        deadline = System.nanoTime() + time.toNanos();
    }

    @Override
    public CompletionStage<ResponseBody> getBody() {
        // Completes at once, since the caller needs the head before the body has arrived.
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
        // A body that has ended must not be cancelled: its connection may already serve other calls.
        subscription = null;
        ended = true;
        broken = broken.or(() -> cause);
        pieces.add(Optional.empty());
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /** Fails if nothing arrives in time, if the reader is interrupted, and if the connection breaks or is closed. */
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
            // The next read finds the end again.
            pieces.add(Optional.empty());
            if (broken.isPresent()) {
                throw broken.get() instanceof IOException io ? io : new IOException(broken.get());
            }
        }
        return !ended;
    }

    /** Discards the rest of the body together with the connection. Ends the wait of a reader. */
    @Override
    public synchronized void close() {
        closed = true;
        Flow.Subscription from = subscription;
        if (!ended) {
            end(Optional.of(new IOException("cancelled")));
        }
        if (from != null) {
            from.cancel();
        }
    }
}
