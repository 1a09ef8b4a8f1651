package io.imexagent.dra.kubelet;

import com.google.protobuf.MessageLite;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
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
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * gRPC calls over a Unix socket in the fewest bytes of HTTP/2, one after the other: the classes of a client would take
 * longer to load than those that are to be warmed. Blocks; an interrupt closes the connection. Frames: RFC 9113, section 4.1. Header
 * block: RFC 7541, with indexed names of its appendix A and no Huffman code.
 */
final class RawCalls implements AutoCloseable {

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int LARGEST_FRAME = 1 << 14;

    /** The window of a stream that nobody widens (RFC 9113, section 6.9.2). */
    private static final int LARGEST_ANSWER = (1 << 16) - 1;

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int GOAWAY = 7;
    private static final int END_STREAM = 0x1;
    private static final int PADDED = 0x8;
    private static final int END_HEADERS = 0x4;

    private static final Logger LOG = LoggerFactory.getLogger(RawCalls.class);

    private final SocketChannel socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final int largestAnswer;
    private int stream = 1;

    RawCalls(Path path) throws IOException {
        this(path, LARGEST_ANSWER);
    }

    /** Calls to a peer that is not trusted: an answer, and any frame of it, has so many bytes at most. */
    RawCalls(Path path, int largestAnswer) throws IOException {
        this.largestAnswer = largestAnswer;
        socket = SocketChannel.open(UnixDomainSocketAddress.of(path));
        in = new DataInputStream(Channels.newInputStream(socket));
        out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(socket)));
        out.writeBytes(PREFACE);
        frame(SETTINGS, 0, 0, new byte[0]);
    }

    /**
     * Makes a call, waits until it has ended, well or not, and returns the message of the answer, empty where there is
     * none; fails where the connection ends first, and where the answer is no message of gRPC.
     */
    byte[] call(String method, MessageLite message) throws IOException {
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
        byte[] answer = awaitEnd();
        stream += 2;
        return answer;
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

    private byte[] awaitEnd() throws IOException {
        var answer = new ByteArrayOutputStream();
        int type;
        int flags;
        int of;
        do {
            int head = in.readInt();
            flags = in.readUnsignedByte();
            of = in.readInt();
            type = head & 0xff;
            if (head >>> 8 > Math.min(LARGEST_FRAME, largestAnswer)) {
                throw new IOException("the server sent a frame of " + (head >>> 8) + " bytes");
            }
            byte[] payload = in.readNBytes(head >>> 8);
            if (payload.length < head >>> 8 || type == GOAWAY) {
                throw new EOFException("the server ended the connection");
            }
            if (of == stream && type == DATA) {
                answer.writeBytes(unpadded(payload, flags));
                if (answer.size() > largestAnswer) {
                    throw new IOException("the server sent an answer of more than " + largestAnswer + " bytes");
                }
            }
        } while (of != stream || (type != RST_STREAM && (flags & END_STREAM) == 0));
        return message(answer.toByteArray());
    }

    private static byte[] unpadded(byte[] payload, int flags) throws IOException {
        if ((flags & PADDED) == 0) {
            return payload;
        }
        int end = payload.length == 0 ? -1 : payload.length - (payload[0] & 0xff);
        if (end < 1) {
            throw new IOException("the server sent a frame of padding only");
        }
        return Arrays.copyOfRange(payload, 1, end);
    }

    private static byte[] message(byte[] answer) throws IOException {
        if (answer.length == 0) {
            return answer;
        }
        if (answer.length < 5 || answer[0] != 0 || ByteBuffer.wrap(answer, 1, 4).getInt() != answer.length - 5) {
            throw new IOException("the server's answer is no message of gRPC without compression");
        }
        return Arrays.copyOfRange(answer, 5, answer.length);
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
