package io.imexagent.testing.api.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.StringTokenizer;

/** One request and the ways to answer it: a whole answer, a stream of messages, or nothing at all. */
public final class Exchange {
    private final RequestHead head;
    private final Optional<X509Certificate> peer;
    private final RequestReader reader;
    private final OutputStream output;
    private final Runnable drop;
    private final String path;
    private final Map<String, String> query;
    private boolean reusable;

    Exchange(
            RequestHead head,
            Optional<X509Certificate> peer,
            RequestReader reader,
            OutputStream output,
            Runnable drop) {
        this.head = head;
        this.peer = peer;
        this.reader = reader;
        this.output = output;
        this.drop = drop;
        int mark = head.target().indexOf('?');
        this.path = mark < 0 ? head.target() : head.target().substring(0, mark);
        this.query = mark < 0 ? Map.of() : parseQuery(head.target().substring(mark + 1));
        this.reusable =
                head.http11() && !"close".equalsIgnoreCase(head.headers().get("connection"));
    }

    /** The request method, in upper case. */
    public String method() {
        return head.method();
    }

    /** The path as it was sent, without the query. Kubernetes names need no percent-encoding, so nothing is decoded. */
    public String path() {
        return path;
    }

    /** A query parameter, decoded; of a repeated one the last value. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(query.get(name));
    }

    /** A header, named in lower case. */
    public Optional<String> header(String lowerCaseName) {
        return Optional.ofNullable(head.headers().get(lowerCaseName));
    }

    /** The body; empty where the request has none. The array is not copied: do not change it. */
    public byte[] body() {
        return head.body();
    }

    /** The certificate that the client presented in the TLS handshake, not yet judged. */
    public Optional<X509Certificate> peerCertificate() {
        return peer;
    }

    /**
     * Answers with head and body in one write, so that neither Nagle nor a delayed acknowledgement can hold it up.
     *
     * @param headers headers besides Content-Type and Content-Length
     * @throws IOException when the client is gone
     */
    public void respond(int status, String contentType, byte[] body, Map<String, String> headers) throws IOException {
        StringBuilder text = new StringBuilder(160);
        text.append("HTTP/1.1 ")
                .append(status)
                .append(' ')
                .append(phrase(status))
                .append("\r\n");
        text.append("Content-Type: ").append(contentType).append("\r\n");
        text.append("Content-Length: ").append(body.length).append("\r\n");
        headers.forEach(
                (name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        if (!reusable) {
            text.append("Connection: close\r\n");
        }
        byte[] start = text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        byte[] all = new byte[start.length + body.length];
        System.arraycopy(start, 0, all, 0, start.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        output.write(all);
        output.flush();
    }

    /**
     * Answers with a stream of messages: WebSocket text frames where the client asks for an upgrade, HTTP chunks
     * otherwise. The connection ends with the stream.
     *
     * @throws IOException when the client is gone
     */
    public MessageStream openStream(String contentType) throws IOException {
        reusable = false;
        Optional<String> key = header("sec-websocket-key");
        if (key.isPresent() && "websocket".equalsIgnoreCase(head.headers().get("upgrade"))) {
            return WebSocketStream.open(key.get(), reader, output, drop);
        }
        return ChunkedStream.open(contentType, reader, output, drop);
    }

    /** Ends the connection without an answer. */
    public void drop() {
        reusable = false;
        drop.run();
    }

    boolean mayReuseConnection() {
        return reusable;
    }

    private static Map<String, String> parseQuery(String text) {
        Map<String, String> parameters = new HashMap<>();
        StringTokenizer pairs = new StringTokenizer(text, "&");
        while (pairs.hasMoreTokens()) {
            String pair = pairs.nextToken();
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            parameters.put(decode(name), decode(value));
        }
        return parameters;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // A stray percent sign: taken as it stands, it will match nothing.
            return text;
        }
    }

    private static String phrase(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 201 -> "Created";
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 409 -> "Conflict";
            case 410 -> "Gone";
            case 422 -> "Unprocessable Entity";
            case 429 -> "Too Many Requests";
            case 500 -> "Internal Server Error";
            case 503 -> "Service Unavailable";
            default -> "Status";
        };
    }
}
