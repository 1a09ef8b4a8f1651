package io.imexagent.agent.http;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.check.Condition;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server: {@code /metrics}, {@code /healthz}, {@code /readyz}, {@code /inventory}. Pages are made on a worker
 * thread. With TLS, certificate and key are read again within a minute after their files have changed.
 */
public final class StatusServer {

    private static final long CERTIFICATE_CHECK_MS = 20_000;
    private static final int LONGEST_REQUEST_LINE = 2048;
    private static final int LARGEST_HEADERS = 8192;
    private static final int IDLE_SECONDS = 60;
    private static final Logger LOG = LoggerFactory.getLogger(StatusServer.class);

    private final Vertx vertx;
    private final AgentConfig.Http config;
    private final StatusPages pages;
    private final HttpServer server;
    private final Optional<CertificateWatch> certificate;

    /** A server for these pages, not listening yet. */
    public StatusServer(Vertx vertx, AgentConfig.Http config, StatusPages pages) {
        this(vertx, config, pages, CERTIFICATE_CHECK_MS);
    }

    StatusServer(Vertx vertx, AgentConfig.Http config, StatusPages pages, long certificateCheckMs) {
        this.vertx = vertx;
        this.config = config;
        this.pages = pages;
        var options = new HttpServerOptions()
                .setHost(config.address())
                .setPort(config.port())
                .setMaxInitialLineLength(LONGEST_REQUEST_LINE)
                .setMaxHeaderSize(LARGEST_HEADERS)
                .setIdleTimeout(IDLE_SECONDS)
                .setHttp2ClearTextEnabled(false);
        config.tls().ifPresent(tls -> options.setSsl(true).setKeyCertOptions(CertificateWatch.pem(tls)));
        this.server = vertx.createHttpServer(options).requestHandler(this::answer);
        this.certificate = config.tls().map(tls -> new CertificateWatch(vertx, server, tls, certificateCheckMs));
    }

    /**
     * Begins to listen; the future holds the port. It fails where the port is taken or the certificate is unusable, with a
     * message that says which of them, and what to do.
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
                            config.tls().isPresent());
                    return listening.actualPort();
                });
    }

    /**
     * Waits until a server listens.
     *
     * @param listening the answer of {@link #listen}
     * @throws IOException where it cannot; the message says what to do
     */
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
        return config.tls()
                .flatMap(files -> CertificateWatch.fault(vertx, files))
                .orElseGet(() -> new IOException(
                        "cannot listen on " + config.address() + ":" + config.port() + ": " + fault.getMessage()
                                + "; free the port, or set http.address and " + config.portKey(),
                        fault));
    }

    /** Stops to listen. */
    public Future<Void> close() {
        certificate.ifPresent(CertificateWatch::end);
        return server.close();
    }

    private void answer(HttpServerRequest request) {
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            request.response()
                    .setStatusCode(405)
                    .putHeader("Allow", "GET, HEAD")
                    .end();
            return;
        }
        String document = pages.documentPath();
        String all = String.join(", ", "/metrics", "/healthz", "/readyz", document);
        switch (Optional.ofNullable(request.path()).orElse("")) {
            case String path
            when path.equals(document) -> page(request, "application/json", () -> ok(pages.inventory()));
            case "/metrics" -> page(request, "text/plain; version=0.0.4; charset=utf-8", () -> ok(pages.metrics()));
            case "/healthz" -> page(request, "text/plain; charset=utf-8", () -> conditions(pages.liveness()));
            case "/readyz" -> page(request, "text/plain; charset=utf-8", () -> conditions(pages.readiness()));
            case "/" -> page(request, "text/plain; charset=utf-8", () -> ok(all.replace(", ", "\n") + "\n"));
            default -> request.response().setStatusCode(404).end("not here; see " + all + "\n");
        }
    }

    private void page(HttpServerRequest request, String type, Callable<Page> page) {
        vertx.executeBlocking(page, false).onComplete(made -> {
            if (made.succeeded()) {
                send(request, type, made.result());
            } else {
                LOG.error("page failed path={}", request.path(), made.cause());
                request.response().setStatusCode(500).end("the page could not be made; see the agent's log\n");
            }
        });
    }

    private static void send(HttpServerRequest request, String type, Page page) {
        Buffer body = Buffer.buffer(page.text());
        HttpServerResponse response = request.response()
                .setStatusCode(page.status())
                .putHeader("Content-Type", type)
                .putHeader("Cache-Control", "no-store")
                .putHeader("Content-Length", Integer.toString(body.length()));
        if (request.method().equals(HttpMethod.HEAD)) {
            // Over HTTP/2, Vert.x would send the body.
            response.end();
        } else {
            response.end(body);
        }
    }

    private static Page ok(String text) {
        return new Page(200, text);
    }

    private static Page conditions(List<Condition> conditions) {
        var text = new StringBuilder();
        for (Condition condition : conditions) {
            text.append(condition.holds() ? "[+] " : "[-] ")
                    .append(condition.name())
                    .append(": ")
                    .append(condition.detail())
                    .append('\n');
        }
        boolean all = conditions.stream().allMatch(Condition::holds);
        return new Page(all ? 200 : 503, text.append(all ? "ok\n" : "failed\n").toString());
    }

    private record Page(int status, String text) {}
}
