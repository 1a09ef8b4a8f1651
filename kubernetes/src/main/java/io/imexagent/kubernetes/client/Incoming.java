package io.imexagent.kubernetes.client;

import io.fabric8.kubernetes.client.http.AsyncBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The body of a response as it comes in. The reader sets the pace: one piece is asked for at a time. */
final class Incoming implements AsyncBody.Consumer<List<ByteBuffer>> {

    private sealed interface Piece {

        record Bytes(ByteBuffer bytes) implements Piece {}

        record End(Optional<Throwable> broken) implements Piece {}
    }

    private final LinkedBlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private volatile @Nullable AsyncBody body;

    @Override
    public void consume(List<ByteBuffer> buffers, AsyncBody from) {
        int size = buffers.stream().mapToInt(ByteBuffer::remaining).sum();
        ByteBuffer all = ByteBuffer.allocate(size);
        buffers.forEach(all::put);
        pieces.add(new Piece.Bytes(all));
    }

    /** Begins to read; the head of the response is in. */
    void begin(AsyncBody from) {
        body = from;
        var _ = from.done().whenComplete((done, broken) -> pieces.add(new Piece.End(Optional.ofNullable(broken))));
        from.consume();
    }

    /**
     * The next piece, its bytes all of its array.
     *
     * @return empty at the body's end
     * @throws TimeoutException where none came in time
     * @throws IOException where the connection broke, or the body was cancelled
     */
    Optional<ByteBuffer> next(Duration wait) throws IOException, InterruptedException, TimeoutException {
        Piece piece = pieces.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
        return switch (piece) {
            case null -> throw new TimeoutException();
            case Piece.Bytes(ByteBuffer bytes) -> {
                AsyncBody from = body;
                if (from != null) {
                    from.consume();
                }
                yield Optional.of(bytes);
            }
            case Piece.End(Optional<Throwable> broken) -> {
                if (broken.isPresent()) {
                    throw broken(broken.get());
                }
                yield Optional.empty();
            }
        };
    }

    private static IOException broken(Throwable cause) {
        return switch (cause) {
            case IOException io -> io;
            case CancellationException cancelled -> new IOException("cancelled", cancelled);
            default -> new IOException(cause);
        };
    }

    /** Gives the body up, and its connection. Ends a reader that waits. */
    void cancel() {
        AsyncBody from = body;
        if (from != null) {
            from.cancel();
        }
    }
}
