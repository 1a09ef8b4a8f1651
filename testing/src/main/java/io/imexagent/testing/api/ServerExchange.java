package io.imexagent.testing.api;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * One request and the ways to answer it: a whole answer, a stream of messages, or nothing at all. An {@link IOException}
 * says that the client has gone.
 */
final class ServerExchange {
    private final HttpServerRequest request;
    private final byte[] body;
    private final CompletableFuture<Void> gone;

    ServerExchange(HttpServerRequest request, byte[] body, CompletableFuture<Void> gone) {
        this.request = request;
        this.body = body;
        this.gone = gone;
    }

    String method() {
        return request.method().name();
    }

    /** The path as it was sent, without the query. Kubernetes names need no percent-encoding, so nothing is decoded. */
    String path() {
        return String.valueOf(request.path());
    }

    Optional<String> parameter(String name) {
        return Optional.ofNullable(request.getParam(name));
    }

    /** Whether a query parameter is set to true. */
    boolean flag(String name) {
        return parameter(name)
                .filter(value -> value.equals("true") || value.equals("1"))
                .isPresent();
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(request.getHeader(name));
    }

    /** The body; empty where the request has none. The array is not copied: do not change it. */
    byte[] body() {
        return body;
    }

    /** The certificate that the client presented in the TLS handshake, not yet judged. */
    Optional<X509Certificate> peerCertificate() {
        if (!request.isSSL()) {
            return Optional.empty();
        }
        try {
            return request.connection().peerCertificates().stream()
                    .map(X509Certificate.class::cast)
                    .findFirst();
        } catch (SSLPeerUnverifiedException e) {
            // The way in which JSSE says that the client sent no certificate.
            return Optional.empty();
        }
    }

    /** Answers with head and body at once. */
    void respond(HttpAnswer answer) {
        var response = request.response()
                .setStatusCode(answer.code())
                .putHeader("Content-Type", answer.contentType())
                .putHeader("Date", date());
        answer.headers().forEach(response::putHeader);
        var _ = response.end(answer.body());
    }

    private static String date() {
        return DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
    }

    /** Begins a stream of JSON, with its head sent at once; {@code onGone} runs as soon as the client has gone. */
    void openStream(Runnable onGone) throws IOException {
        var _ = gone.thenRun(onGone);
        await(request.response()
                .setChunked(true)
                .putHeader("Content-Type", HttpAnswer.JSON)
                .putHeader("Date", date())
                .writeHead());
    }

    /** Sends one message of a stream, as one chunk; waits for a client that reads slowly. */
    void send(Buffer message) throws IOException {
        await(request.response().write(message));
    }

    void end() throws IOException {
        await(request.response().end());
    }

    /** Ends the connection without a word, as a broken network does. */
    void drop() {
        if (!gone.isDone()) {
            var _ = request.connection().close();
        }
    }

    private static void await(Future<Void> written) throws IOException {
        try {
            written.toCompletionStage().toCompletableFuture().join();
        } catch (CompletionException e) {
            throw new IOException("the client has gone", e);
        }
    }
}
