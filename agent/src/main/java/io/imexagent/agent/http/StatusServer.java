package io.imexagent.agent.http;

import io.imexagent.agent.http.DocumentReviews.ReviewedAccess;
import io.imexagent.core.check.Condition;
import io.imexagent.kubernetes.Reviews;
import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server. Every client may read {@code /metrics}, {@code /healthz} and {@code /readyz}; {@link DocumentAccess}
 * decides who may read documents such as {@code /inventory}. Pages are made on a worker thread. TLS files are read
 * again within a minute after a change. HTTP/1.1 only, so that a connection has one request at a time and the number of
 * connections limits the work.
 */
public final class StatusServer {

    private static final int LONGEST_REQUEST_LINE = 2048;
    private static final int LARGEST_HEADERS = 8192;
    private static final Map<String, String> METRICS_TYPE =
            Map.of("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    private static final Logger LOG = LoggerFactory.getLogger(StatusServer.class);

    private final Vertx vertx;
    private final HttpSettings config;
    private final Optional<HttpSettings.Tls> tls;
    private final StatusPages pages;
    private final DocumentAccess access;
    private final long slowMs;
    private final SlowClients slow = new SlowClients();
    private final HttpServer server;
    private final Optional<CertificateWatch> certificate;

    /**
     * Creates a server for these pages, which does not listen yet; its Vert.x runs nothing else and has a {@link
     * LimitedTransport}. Refusals explain how to get access, which differs between pod and host.
     */
    public StatusServer(Vertx vertx, HttpSettings config, StatusPages pages, Reviews reviews, boolean inPod) {
        this(vertx, config, pages, reviews, inPod, Tuning.STANDARD);
    }

    StatusServer(Vertx vertx, HttpSettings config, StatusPages pages, Reviews reviews, boolean inPod, Tuning tuning) {
        this.vertx = vertx;
        this.config = config;
        this.tls = Optional.of(config.tls()).filter(HttpSettings.Tls::isOn);
        this.pages = pages;
        this.access = new DocumentAccess(vertx, new DocumentReviews(reviews, System::nanoTime), tuning.local(), inPod);
        this.slowMs = tuning.slowMs();
        var options = new HttpServerOptions()
                .setHost(config.address())
                .setPort(config.port())
                .setMaxInitialLineLength(LONGEST_REQUEST_LINE)
                .setMaxHeaderSize(LARGEST_HEADERS)
                .setHttp2ClearTextEnabled(false);
        tls.ifPresent(files ->
                CertificateWatch.fill(options.setSsl(true).setUseAlpn(false).getSslOptions(), files));
        this.server =
                vertx.createHttpServer(options).connectionHandler(slow::opened).requestHandler(this::answer);
        this.certificate = tls.map(files -> new CertificateWatch(vertx, server, files, tuning.certificateCheckMs()));
    }

    /**
     * Values that tests change: the interval of checks of the TLS files, how long a client may take to send a request
     * and to receive its reply, and which clients are on this host.
     */
    record Tuning(long certificateCheckMs, long slowMs, Predicate<SocketAddress> local) {

        static final Tuning STANDARD = new Tuning(20_000, 60_000, DocumentAccess::isLocal);
    }

    /**
     * Begins to listen; the future holds the port. It fails if the port is in use or the certificate is unusable; the
     * message states which, and the remedy.
     */
    public Future<Integer> listen() {
        return server.listen()
                .recover(fault -> Future.failedFuture(explained(fault)))
                .map(listening -> {
                    certificate.ifPresent(CertificateWatch::begin);
                    LOG.info(
                            "http listening address={} port={} tls={}",
                            config.address(),
                            listening.actualPort(),
                            tls.isPresent());
                    return listening.actualPort();
                });
    }

    /** Waits for the result of {@link #listen}; throws if the server cannot listen, with the remedy in the message. */
    public static void await(CompletionStage<Integer> listening) throws IOException, InterruptedException {
        try {
            listening.toCompletableFuture().get();
        } catch (ExecutionException failure) {
            String reason = Optional.ofNullable(failure.getCause())
                    .map(Throwable::getMessage)
                    .orElseGet(failure::toString);
            throw new IOException(reason, failure);
        }
    }

    private IOException explained(Throwable fault) {
        return tls.flatMap(files -> CertificateWatch.fault(vertx, files))
                .orElseGet(() -> new IOException(
                        "cannot listen on " + config.address() + ":" + config.port() + ": " + fault.getMessage()
                                + "; free the port, or set http.address and " + pages.portKey(),
                        fault));
    }

    private void answer(HttpServerRequest request) {
        slow.progressed(request.connection());
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            end(request, PageReply.text(405, "Allow", "GET, HEAD", "pages are only to be read\n"));
        } else if (hasBody(request)) {
            end(request, PageReply.text(413, "a request for a page has no body\n"));
        } else {
            show(request, Optional.ofNullable(request.path()).orElse(""));
        }
    }

    private static boolean hasBody(HttpServerRequest request) {
        String length = Optional.ofNullable(request.getHeader(HttpHeaders.CONTENT_LENGTH))
                .orElse("0");
        return !length.equals("0") || request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
    }

    private void show(HttpServerRequest request, String path) {
        String all = "/metrics, /healthz, /readyz, " + String.join(", ", pages.documents());
        switch (path) {
            case String query when pages.documents().contains(query) -> document(request, query);
            case "/metrics" -> page(request, () -> new PageReply(200, METRICS_TYPE, pages.metrics()));
            case "/healthz" -> page(request, () -> conditions(pages.liveness()));
            case "/readyz" -> page(request, () -> conditions(pages.readiness()));
            case "/" -> send(request, PageReply.text(200, all.replace(", ", "\n") + "\n"));
            default -> send(request, PageReply.text(404, "not here; see " + all + "\n"));
        }
    }

    private void document(HttpServerRequest request, String path) {
        access.of(request, path).onComplete(query -> {
            switch (query.succeeded()
                    ? query.result()
                    : new ReviewedAccess.AccessRefused(failed(request, query.cause()))) {
                case ReviewedAccess.AccessGranted in -> page(request, () -> document(path, request.headers()));
                case ReviewedAccess.AccessRefused out -> send(request, out.reply());
            }
        });
    }

    private PageReply document(String path, MultiMap query) {
        return pages.document(path)
                .unlessMatching(Optional.ofNullable(query.get(HttpHeaders.IF_NONE_MATCH)))
                .encodedFor(Optional.ofNullable(query.get(HttpHeaders.ACCEPT_ENCODING))
                        .orElse(""));
    }

    private void page(HttpServerRequest request, Callable<PageReply> page) {
        vertx.executeBlocking(page, false)
                .onComplete(made -> send(request, made.succeeded() ? made.result() : failed(request, made.cause())));
    }

    private static PageReply failed(HttpServerRequest request, Throwable cause) {
        LOG.error("page failed path={}", request.path(), cause);
        return PageReply.text(500, "the page could not be made; see the agent's log\n");
    }

    private Future<Void> send(HttpServerRequest request, PageReply reply) {
        Buffer body = reply.body();
        HttpServerResponse response = request.response()
                .setStatusCode(reply.status())
                .putHeader("Cache-Control", "no-store")
                .putHeader("X-Content-Type-Options", "nosniff");
        // A 304 has no body, and clients would take its length for the document's.
        if (reply.status() != 304) {
            response.putHeader("Content-Length", Integer.toString(body.length()));
        }
        reply.headers().forEach(response::putHeader);
        return response.end(body).onComplete(taken -> slow.progressed(request.connection()));
    }

    /** Replies, and closes the connection, since the request's body has not been read. */
    private void end(HttpServerRequest request, PageReply reply) {
        request.response().putHeader("Connection", "close");
        send(request, reply).onComplete(sent -> request.connection().close());
    }

    private static PageReply conditions(List<Condition> conditions) {
        String lines = conditions.stream()
                .map(one -> (one.holds() ? "[+] " : "[-] ") + one.name() + ": " + one.detail() + "\n")
                .collect(Collectors.joining());
        boolean all = conditions.stream().allMatch(Condition::holds);
        return PageReply.text(all ? 200 : 503, lines + (all ? "ok\n" : "failed\n"));
    }

    /**
     * Closes slow connections: a client has {@code slowMs} to send a whole request, and as long again to receive the
     * whole reply. A mere idle timeout would let a client keep its connection with an occasional byte. For the event
     * loop only.
     */
    private final class SlowClients {

        private final Map<HttpConnection, Long> timers = new HashMap<>();

        void opened(HttpConnection connection) {
            timers.put(connection, timer(connection));
            connection.closeHandler(
                    closed -> Optional.ofNullable(timers.remove(connection)).ifPresent(vertx::cancelTimer));
        }

        /** A whole request has arrived, or a whole reply was received. */
        void progressed(HttpConnection connection) {
            timers.computeIfPresent(connection, (same, timer) -> {
                vertx.cancelTimer(timer);
                return timer(connection);
            });
        }

        private long timer(HttpConnection connection) {
            return vertx.setTimer(slowMs, late -> cut(connection));
        }

        /** Closes at once; Vert.x would first wait until the client has received what was written. */
        private static void cut(HttpConnection connection) {
            Channel channel =
                    ((HttpServerConnection) connection).channelHandlerContext().channel();
            channel.unsafe().close(channel.voidPromise());
        }
    }

    /** The content of the HTTP server. Every method is called on a worker thread and may take milliseconds. */
    public interface StatusPages {

        /** All metrics in the Prometheus text format 0.0.4. */
        String metrics();

        /** The conditions of liveness: the agent makes progress, so that a restart would not help. */
        List<Condition> liveness();

        /** The conditions of readiness: the node can serve. */
        List<Condition> readiness();

        /** Paths of the protected documents; {@link DocumentAccess} decides who may read them. */
        List<String> documents();

        /** The document at one of these paths. */
        PageReply document(String path);

        /** The configuration key of the port, for messages about a port in use. */
        default String portKey() {
            return "http.port";
        }
    }
}
