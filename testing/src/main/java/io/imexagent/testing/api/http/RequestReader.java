package io.imexagent.testing.api.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads HTTP/1.1 requests (RFC 9112) from a connection, with a buffer that outlives the single request. */
final class RequestReader {
    private static final int BUFFER_BYTES = 16 * 1024;
    private static final int LINE_LIMIT = 64 * 1024;
    private static final int BODY_LIMIT = 16 * 1024 * 1024;
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final InputStream input;
    private final OutputStream output;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int limit;

    RequestReader(InputStream input, OutputStream output) {
        this.input = input;
        this.output = output;
    }

    /** The next request, or empty when the client ended the connection between two of them. */
    Optional<RequestHead> read() throws IOException {
        if (!fill()) {
            return Optional.empty();
        }
        String line = readLine();
        int first = line.indexOf(' ');
        int last = line.lastIndexOf(' ');
        if (first <= 0 || last <= first) {
            throw new ProtocolException("not an HTTP request: " + line);
        }
        Map<String, String> headers = readHeaders();
        byte[] body = readBody(headers);
        boolean http11 = line.regionMatches(last + 1, "HTTP/1.1", 0, 8);
        return Optional.of(
                new RequestHead(line.substring(0, first), line.substring(first + 1, last), http11, headers, body));
    }

    /** One byte, or -1 at the end of the stream. */
    int readByte() throws IOException {
        return fill() ? buffer[position++] & 0xff : -1;
    }

    /** Exactly that many bytes; a stream that ends before is an {@link EOFException}. */
    byte[] readExactly(int length) throws IOException {
        byte[] out = new byte[length];
        int done = 0;
        while (done < length) {
            if (!fill()) {
                throw new EOFException("connection ended inside a message");
            }
            int part = Math.min(limit - position, length - done);
            System.arraycopy(buffer, position, out, done, part);
            position += part;
            done += part;
        }
        return out;
    }

    private Map<String, String> readHeaders() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = readLine(); !line.isEmpty(); line = readLine()) {
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw new ProtocolException("not a header: " + line);
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return headers;
    }

    private byte[] readBody(Map<String, String> headers) throws IOException {
        if ("100-continue".equalsIgnoreCase(headers.get("expect"))) {
            output.write(CONTINUE);
            output.flush();
        }
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            return readChunks();
        }
        return readExactly(bounded(headers.getOrDefault("content-length", "0"), 10));
    }

    private byte[] readChunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            String size = readLine();
            int extension = size.indexOf(';');
            int length = bounded(extension < 0 ? size : size.substring(0, extension), 16);
            if (length == 0) {
                readHeaders();
                return body.toByteArray();
            }
            if (body.size() + length > BODY_LIMIT) {
                throw new ProtocolException("body above " + BODY_LIMIT + " bytes");
            }
            body.writeBytes(readExactly(length));
            readLine();
        }
    }

    private static int bounded(String number, int radix) throws ProtocolException {
        try {
            int length = Integer.parseUnsignedInt(number.strip(), radix);
            if (length < 0 || length > BODY_LIMIT) {
                throw new ProtocolException("body above " + BODY_LIMIT + " bytes");
            }
            return length;
        } catch (NumberFormatException e) {
            ProtocolException failure = new ProtocolException("not a length: " + number);
            failure.initCause(e);
            throw failure;
        }
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder(96);
        while (true) {
            int next = readByte();
            if (next < 0) {
                throw new EOFException("connection ended inside a line");
            }
            if (next == '\n') {
                int length = line.length();
                if (length > 0 && line.charAt(length - 1) == '\r') {
                    line.setLength(length - 1);
                }
                return line.toString();
            }
            if (line.length() == LINE_LIMIT) {
                throw new ProtocolException("line above " + LINE_LIMIT + " bytes");
            }
            line.append((char) next);
        }
    }

    private boolean fill() throws IOException {
        if (position < limit) {
            return true;
        }
        position = 0;
        limit = Math.max(input.read(buffer, 0, buffer.length), 0);
        return limit > 0;
    }
}
