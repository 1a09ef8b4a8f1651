package io.imexagent.dra.kubelet;

import com.google.protobuf.MessageLite;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * gRPC calls over a Unix socket in the fewest bytes of HTTP/2, one after the other, answers thrown away: the classes of
 * a client would take longer to load than those that are to be warmed. Blocks. Frames: RFC 9113, section 4.1. Header
 * block: RFC 7541, with indexed names of its appendix A and no Huffman code.
 */
final class RawCalls implements AutoCloseable {

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int LARGEST_FRAME = 1 << 14;

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int GOAWAY = 7;
    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;

    private static final Logger LOG = LoggerFactory.getLogger(RawCalls.class);

    private final SocketChannel socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private int stream = 1;

    RawCalls(Path path) throws IOException {
        socket = SocketChannel.open(UnixDomainSocketAddress.of(path));
        in = new DataInputStream(Channels.newInputStream(socket));
        out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(socket)));
        out.writeBytes(PREFACE);
        frame(SETTINGS, 0, 0, new byte[0]);
    }

    /** Makes a call and waits until it has ended, well or not; fails where the connection ends first. */
    void call(String method, MessageLite message) throws IOException {
        frame(HEADERS, END_HEADERS, stream, headers(method));
        byte[] body = message.toByteArray();
        // gRPC over HTTP/2: one byte for compression, four for the length, the message.
        frame(
                DATA,
                END_STREAM,
                stream,
                ByteBuffer.allocate(5 + body.length)
                        .put((byte) 0)
                        .putInt(body.length)
                        .put(body)
                        .array());
        out.flush();
        awaitEnd();
        stream += 2;
    }

    /** Makes a call that is waiting fail. Safe for any thread; may be called on the event loop. */
    void abort() {
        close();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failure) {
            LOG.debug("warm-up connection not closed reason=\"{}\"", failure.getMessage());
        }
    }

    private void awaitEnd() throws IOException {
        int type;
        int flags;
        int of;
        do {
            int head = in.readInt();
            flags = in.readUnsignedByte();
            of = in.readInt();
            type = head & 0xff;
            if (head >>> 8 > LARGEST_FRAME) {
                throw new IOException("the server sent a frame of " + (head >>> 8) + " bytes");
            }
            in.skipNBytes(head >>> 8);
            if (type == GOAWAY) {
                throw new EOFException("the server ended the connection");
            }
        } while (of != stream || (type != RST_STREAM && (flags & END_STREAM) == 0));
    }

    /** The head of a frame: three bytes for the length, one for the type, one for flags, four for the stream. */
    private void frame(int type, int flags, int of, byte[] payload) throws IOException {
        out.writeInt(payload.length << 8 | type);
        out.writeByte(flags);
        out.writeInt(of);
        out.write(payload);
    }

    private static byte[] headers(String method) {
        // :method: POST, :scheme: http, :path
        String block = "\u0083\u0086\u0004" + text("/" + method);
        // :authority; content-type, whose index 31 is 15 in the prefix and 16 more; names without an index
        block += "\u0001" + text("localhost") + "\u000f\u0010" + text("application/grpc");
        block += "\0" + text("te") + text("trailers") + "\0" + text("grpc-timeout") + text("45S");
        return block.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A string of up to 126 ASCII characters. */
    private static String text(String text) {
        return (char) text.length() + text;
    }
}
