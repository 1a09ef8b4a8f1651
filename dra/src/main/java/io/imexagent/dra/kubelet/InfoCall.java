package io.imexagent.dra.kubelet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.imexagent.dra.proto.registration.PluginInfo;
import io.imexagent.dra.proto.registration.RegistrationGrpc;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * The kubelet's call {@code GetInfo} on the registration socket of a plugin that is not trusted, in the fewest bytes of
 * HTTP/2 and with a bound on what the peer takes of the heap: gRPC's client acknowledges from the heap whatever a peer
 * floods it with. Frames: RFC 9113, section 4.1. Header block: RFC 7541, with indexed names of its appendix A and no
 * Huffman code.
 */
final class InfoCall {

    /** An answer has a type, a driver's name, a path and some versions. */
    private static final int LARGEST_ANSWER = 4096;

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int GOAWAY = 7;
    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;

    /** The stream of the call, the first that a client may open. */
    private static final int STREAM = 1;

    /** A message of gRPC begins with a byte for compression and four for the length; that of GetInfo has no fields. */
    private static final int PREFIX = 5;

    private static final byte[] REQUEST = ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                    + frame(SETTINGS, 0, 0, "")
                    + frame(HEADERS, END_HEADERS, STREAM, headers())
                    + frame(DATA, END_STREAM, STREAM, "\0".repeat(PREFIX)))
            .getBytes(ISO_8859_1);

    private InfoCall() {}

    /**
     * Returns the info of the plugin that listens on the socket. Fails if the peer hangs up, or answers otherwise than a
     * plugin does. Blocks until the peer answers; an interrupt closes the connection.
     */
    static PluginInfo of(Path socket) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            Channels.newOutputStream(channel).write(REQUEST);
            ByteBuffer answer = ByteBuffer.wrap(answer(new DataInputStream(Channels.newInputStream(channel))));
            if (answer.remaining() < PREFIX || answer.get() != 0 || answer.getInt() != answer.remaining()) {
                throw new IOException("the answer is no message of gRPC without compression");
            }
            return PluginInfo.parseFrom(answer);
        }
    }

    private static byte[] answer(DataInputStream in) throws IOException {
        var answer = new ByteArrayOutputStream();
        int type;
        int flags;
        int stream;
        do {
            int head = in.readInt();
            type = head & 0xff;
            flags = in.readUnsignedByte();
            stream = in.readInt();
            int length = head >>> 8;
            if (type == GOAWAY || length > LARGEST_ANSWER - answer.size()) {
                throw new IOException("the peer ended the connection, or its answer is too large");
            }
            byte[] payload = new byte[length];
            in.readFully(payload);
            if (type == DATA && stream == STREAM) {
                answer.writeBytes(payload);
            }
        } while (stream != STREAM || (type != RST_STREAM && (flags & END_STREAM) == 0));
        return answer.toByteArray();
    }

    /** A frame as ISO 8859-1: three bytes for the length, one for the type, one for flags, four for the stream. */
    private static String frame(int type, int flags, int stream, String payload) {
        return "\0\0" + (char) payload.length() + (char) type + (char) flags + "\0\0\0" + (char) stream + payload;
    }

    private static String headers() {
        // :method: POST, :scheme: http, :path; :authority; content-type, whose index 31 is 15 in the prefix and 16 more
        return "\u0083\u0086\u0004"
                + text("/" + RegistrationGrpc.getGetInfoMethod().getFullMethodName())
                + "\u0001" + text("localhost")
                + "\u000f\u0010" + text("application/grpc")
                + "\0" + text("te") + text("trailers");
    }

    /** A string of up to 126 ASCII characters. */
    private static String text(String text) {
        return (char) text.length() + text;
    }
}
