package io.imexagent.testing.api.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.locks.ReentrantLock;

/** A stream of messages as WebSocket text frames (RFC 6455), which the real API server offers for watches too. */
final class WebSocketStream implements MessageStream {
    private static final Logger LOG = System.getLogger(WebSocketStream.class.getName());
    private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int TEXT = 0x1;
    private static final int CLOSE = 0x8;
    private static final int PING = 0x9;
    private static final int PONG = 0xa;
    private static final int CONTROL_FRAME_LIMIT = 64 * 1024;
    /** Status 1000, normal closure. */
    private static final byte[] NORMAL = {0x03, (byte) 0xe8};

    private final RequestReader reader;
    private final OutputStream output;
    private final Runnable drop;
    private final ReentrantLock writing = new ReentrantLock();

    private WebSocketStream(RequestReader reader, OutputStream output, Runnable drop) {
        this.reader = reader;
        this.output = output;
        this.drop = drop;
    }

    static WebSocketStream open(String key, RequestReader reader, OutputStream output, Runnable drop)
            throws IOException {
        String head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: " + accept(key) + "\r\n\r\n";
        output.write(head.getBytes(StandardCharsets.US_ASCII));
        output.flush();
        return new WebSocketStream(reader, output, drop);
    }

    @Override
    public void send(byte[] message) throws IOException {
        write(TEXT, message);
    }

    @Override
    public void end() throws IOException {
        write(CLOSE, NORMAL);
    }

    @Override
    public void drop() {
        drop.run();
    }

    @Override
    public void onClientGone(Runnable action) {
        Thread.ofVirtual().name("api-double-websocket").start(() -> {
            readFrames();
            action.run();
        });
    }

    private void readFrames() {
        try {
            int first = reader.readByte();
            while (first >= 0) {
                byte[] payload = readPayload();
                if ((first & 0xf) == PING) {
                    write(PONG, payload);
                } else if ((first & 0xf) == CLOSE) {
                    return;
                }
                first = reader.readByte();
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "client of a stream left: {0}", e.toString());
        }
    }

    private byte[] readPayload() throws IOException {
        int second = reader.readByte();
        long length = second & 0x7f;
        if (length == 126) {
            length = Short.toUnsignedInt(ByteBuffer.wrap(reader.readExactly(2)).getShort());
        } else if (length == 127) {
            length = ByteBuffer.wrap(reader.readExactly(8)).getLong();
        }
        if (second < 0 || length < 0 || length > CONTROL_FRAME_LIMIT) {
            throw new ProtocolException("frame of " + length + " bytes from the client of a watch");
        }
        byte[] mask = (second & 0x80) == 0 ? new byte[4] : reader.readExactly(4);
        byte[] payload = reader.readExactly((int) length);
        for (int i = 0; i < payload.length; i++) {
            payload[i] ^= mask[i & 3];
        }
        return payload;
    }

    private void write(int opcode, byte[] payload) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(payload.length + 10);
        frame.write(0x80 | opcode);
        if (payload.length < 126) {
            frame.write(payload.length);
        } else if (payload.length < 0x10000) {
            frame.write(126);
            frame.writeBytes(
                    ByteBuffer.allocate(2).putShort((short) payload.length).array());
        } else {
            frame.write(127);
            frame.writeBytes(ByteBuffer.allocate(8).putLong(payload.length).array());
        }
        frame.writeBytes(payload);
        writing.lock();
        try {
            output.write(frame.toByteArray());
            output.flush();
        } finally {
            writing.unlock();
        }
    }

    private static String accept(String key) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-1").digest((key + MAGIC).getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }
}
