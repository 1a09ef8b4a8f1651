package io.imexagent.kubernetes.client;

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
 * The body of a response as it comes in. The reader sets the pace: the next piece is asked for when the last one is read,
 * and each wait has an end. Read by one thread; any may close it.
 */
final class ResponseBody extends InputStream implements BodySubscriber<ResponseBody> {

    private sealed interface Piece {

        record Bytes(List<ByteBuffer> buffers) implements Piece {}

        record End(Optional<Throwable> broken) implements Piece {}
    }

    private final LinkedBlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private final ArrayDeque<ByteBuffer> buffers = new ArrayDeque<>();
    private Flow.@Nullable Subscription subscription;
    private boolean closed;
    private boolean ended;
    private long deadline = Long.MAX_VALUE;

    /** Sets how long reading may take from now on. */
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
        pieces.add(new Piece.Bytes(next));
    }

    @Override
    public void onError(Throwable broken) {
        end(Optional.of(broken));
    }

    @Override
    public void onComplete() {
        end(Optional.empty());
    }

    private synchronized void end(Optional<Throwable> broken) {
        // What has ended is not cancelled: its connection serves others already.
        subscription = null;
        pieces.add(new Piece.End(broken));
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /**
     * {@inheritDoc}
     *
     * @throws HttpTimeoutException where nothing came in time
     * @throws InterruptedIOException where the reader was interrupted, whose thread says so afterwards
     * @throws IOException where the connection broke, or the body was closed
     */
    @Override
    public int read(byte[] into, int from, int most) throws IOException {
        while (buffers.isEmpty() || !buffers.getFirst().hasRemaining()) {
            if (buffers.poll() == null && (ended || !receive())) {
                return -1;
            }
        }
        int length = Math.min(most, buffers.getFirst().remaining());
        buffers.getFirst().get(into, from, length);
        return length;
    }

    /** Waits for the next piece; false at the end. */
    private boolean receive() throws IOException {
        Piece piece;
        try {
            piece = pieces.poll(Math.max(deadline - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
        return switch (piece) {
            case null -> throw new HttpTimeoutException("nothing came in time");
            case Piece.Bytes(List<ByteBuffer> more) -> {
                buffers.addAll(more);
                ask();
                yield true;
            }
            case Piece.End(Optional<Throwable> broken) -> {
                ended = true;
                if (broken.isPresent()) {
                    throw broken.get() instanceof IOException io ? io : new IOException(broken.get());
                }
                yield false;
            }
        };
    }

    private synchronized void ask() {
        Flow.Subscription from = subscription;
        if (from != null) {
            from.request(1);
        }
    }

    /** Gives up what has not come yet, and with it the connection. Ends a reader that waits. */
    @Override
    public synchronized void close() {
        closed = true;
        Flow.Subscription from = subscription;
        subscription = null;
        if (from != null) {
            from.cancel();
        }
        pieces.add(new Piece.End(Optional.of(new IOException("cancelled"))));
    }
}
