package io.imexagent.testing.api;

import io.imexagent.testing.api.tls.IssuedCertificate;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/** A listening loopback port that hands every request to a handler, on a virtual thread of its own. */
final class HttpListener implements AutoCloseable {
    private static final Logger LOG = System.getLogger(HttpListener.class.getName());
    private static final int LINE_LIMIT = 64 * 1024;
    private static final Duration PORT_PATIENCE = Duration.ofSeconds(10);
    private static final Duration PORT_PAUSE = Duration.ofMillis(20);

    private final Vertx vertx = Vertx.vertx(new VertxOptions()
            .setEventLoopPoolSize(1)
            .setUseDaemonThread(true)
            .setFileSystemOptions(
                    new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    private final HttpServerOptions options = new HttpServerOptions()
            .setHost("127.0.0.1")
            .setAcceptBacklog(512)
            .setUseAlpn(false)
            .setHttp2ClearTextEnabled(false)
            .setHandle100ContinueAutomatically(true)
            .setMaxInitialLineLength(LINE_LIMIT)
            .setMaxHeaderSize(LINE_LIMIT);
    private final ApiHandler handler;
    private Optional<HttpServer> listening;

    /**
     * Opens a listener on a free port of the IPv4 loopback address.
     *
     * @param certificate the server's for TLS, under which clients may show any certificate of theirs: authentication
     *     judges it, as a handshake that fails could not say why; empty for plain HTTP
     */
    HttpListener(Optional<IssuedCertificate> certificate, ApiHandler handler) throws IOException {
        this.handler = handler;
        certificate.ifPresent(own -> options.setSsl(true)
                .setKeyCertOptions(new PemKeyCertOptions()
                        .addCertValue(Buffer.buffer(own.certificatePem()))
                        .addKeyValue(Buffer.buffer(own.keyPem())))
                .setClientAuth(ClientAuth.REQUEST)
                .setTrustOptions(
                        TrustOptions.wrap(InsecureTrustManagerFactory.INSTANCE.getTrustManagers()[0])));
        HttpServer server = bind(0);
        options.setPort(server.actualPort());
        this.listening = Optional.of(server);
    }

    /** The port that this listener has, also while it is suspended. */
    int port() {
        return options.getPort();
    }

    /** Closes the listening socket and every connection: the server is gone until {@link #resume}. */
    synchronized void suspend() {
        listening.map(HttpServer::close).ifPresent(HttpListener::join);
        listening = Optional.empty();
    }

    /**
     * Listens again on the same port after {@link #suspend}; does nothing where it listens already. A connection of another
     * process may have the port for its own end meanwhile: that is waited for.
     */
    synchronized void resume() throws IOException {
        long start = System.nanoTime();
        while (listening.isEmpty()) {
            try {
                listening = Optional.of(bind(port()));
            } catch (BindException taken) {
                if (System.nanoTime() - start > PORT_PATIENCE.toNanos()) {
                    throw taken;
                }
                LockSupport.parkNanos(PORT_PAUSE.toNanos());
            }
        }
    }

    @Override
    public void close() {
        suspend();
        vertx.close();
    }

    private HttpServer bind(int port) throws IOException {
        try {
            return join(
                    vertx.createHttpServer(options).requestHandler(this::accept).listen(port));
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException("cannot listen on port " + port, e);
        }
    }

    private static <T> T join(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().join();
    }

    private void accept(HttpServerRequest request) {
        // The connection is followed from its event loop, so that no end of it is missed.
        var gone = new CompletableFuture<Void>();
        request.connection().closeHandler(gone::complete);
        request.body().onSuccess(body -> {
            var exchange = new ServerExchange(request, body.getBytes(), gone);
            Thread.ofVirtual().name("api-double").start(() -> {
                try {
                    handler.handle(exchange);
                } catch (IOException | RejectedExecutionException e) {
                    // Clients come and go; a broken connection concerns only the one at its other end, which saw it
                    // too.
                    LOG.log(Level.DEBUG, "connection ended: {0}", e.toString());
                    exchange.drop();
                }
            });
        });
    }
}
