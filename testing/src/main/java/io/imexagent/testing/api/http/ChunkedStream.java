package io.imexagent.testing.api.http;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;

/** A stream of messages as HTTP chunks (RFC 9112, 7.1), one chunk a message. */
final class ChunkedStream implements MessageStream {
    private static final Logger LOG = System.getLogger(ChunkedStream.class.getName());
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final RequestReader reader;
    private final OutputStream output;
    private final Runnable drop;

    private ChunkedStream(RequestReader reader, OutputStream output, Runnable drop) {
        this.reader = reader;
        this.output = output;
        this.drop = drop;
    }

    static ChunkedStream open(String contentType, RequestReader reader, OutputStream output, Runnable drop)
            throws IOException {
        String head = "HTTP/1.1 200 OK\r\nContent-Type: " + contentType
                + "\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
        output.write(head.getBytes(StandardCharsets.US_ASCII));
        output.flush();
        return new ChunkedStream(reader, output, drop);
    }

    @Override
    public void send(byte[] message) throws IOException {
        byte[] size = (Integer.toHexString(message.length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] chunk = new byte[size.length + message.length + 2];
        System.arraycopy(size, 0, chunk, 0, size.length);
        System.arraycopy(message, 0, chunk, size.length, message.length);
        chunk[chunk.length - 2] = '\r';
        chunk[chunk.length - 1] = '\n';
        output.write(chunk);
        output.flush();
    }

    @Override
    public void end() throws IOException {
        output.write(LAST_CHUNK);
        output.flush();
    }

    @Override
    public void drop() {
        drop.run();
    }

    @Override
    public void onClientGone(Runnable action) {
        Thread.ofVirtual().name("api-double-stream").start(() -> {
            awaitEnd();
            action.run();
        });
    }

    private void awaitEnd() {
        try {
            int next = reader.readByte();
            while (next >= 0) {
                next = reader.readByte();
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "client of a stream left: {0}", e.toString());
        }
    }
}
