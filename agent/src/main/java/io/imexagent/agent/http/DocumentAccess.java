package io.imexagent.agent.http;

import io.imexagent.agent.http.DocumentReviews.ReviewedAccess;
import io.imexagent.core.setting.Value.IpAddress;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;

/**
 * Decides who may read documents, which show what runs on a node or in a cluster: every client on this host, and over
 * TLS each user whom the API server permits to {@code get} their path. Runs on the event loop; the API server's reviews
 * run on virtual threads.
 */
final class DocumentAccess {

    /** The number of concurrent reviews; further clients receive 503. */
    private static final int AT_ONCE = 8;

    private final Vertx vertx;
    private final DocumentReviews reviews;
    private final Predicate<SocketAddress> local;
    private final boolean inPod;
    private final Semaphore places = new Semaphore(AT_ONCE);

    DocumentAccess(Vertx vertx, DocumentReviews reviews, Predicate<SocketAddress> local, boolean inPod) {
        this.vertx = vertx;
        this.reviews = reviews;
        this.local = local;
        this.inPod = inPod;
    }

    /** Decides whether the client of a request may read the document at this path. */
    Future<ReviewedAccess> of(HttpServerRequest request, String path) {
        boolean here = local.test(request.remoteAddress());
        if (here && isRequestedByAddress(request)) {
            return Future.succeededFuture(new ReviewedAccess.AccessGranted());
        }
        if (!request.isSSL()) {
            return refused(PageReply.text(
                    403,
                    here
                            ? "ask for localhost or an address: another name could be a stranger's page in a browser here,"
                                    + " whose name leads to this host\n"
                            : plain(request, path)));
        }
        Optional<Credential> credential = Credential.of(request);
        return credential.isEmpty()
                ? refused(DocumentReviews.unknown("say who you are: Authorization: Bearer, with a token that the API"
                        + " server knows, or a client certificate that http.tls.clientCa has signed\n"))
                : reviews.remembered(credential.get(), path)
                        .map(Future::succeededFuture)
                        .orElseGet(() -> ask(credential.get(), path));
    }

    /** Whether the peer of a connection is on this host; headers of the request do not count. */
    static boolean isLocal(SocketAddress peer) {
        return Optional.ofNullable(peer.hostAddress())
                .filter(HttpSettings::isLoopback)
                .isPresent();
    }

    /** Whether the Host is localhost or an address: a foreign page in a browser here can only use its own name. */
    private static boolean isRequestedByAddress(HttpServerRequest request) {
        // An invalid Host cannot be parsed, and may still be a foreign name.
        return request.getHeader(HttpHeaders.HOST) == null
                || Optional.ofNullable(request.authority())
                        .map(HostAndPort::host)
                        .map(host -> host.replaceAll("^\\[|]$", ""))
                        .filter(host -> host.equals("localhost") || new IpAddress().test(host))
                        .isPresent();
    }

    private Future<ReviewedAccess> ask(Credential credential, String path) {
        if (!places.tryAcquire()) {
            return refused(PageReply.text(503, "Retry-After", "1", "too many clients are being reviewed; try again\n"));
        }
        CompletableFuture<ReviewedAccess> answer = CompletableFuture.supplyAsync(
                () -> reviews.ask(credential, path),
                review -> Thread.ofVirtual().name("document-review").start(review));
        return Future.fromCompletionStage(
                answer.whenComplete((given, defect) -> places.release()), vertx.getOrCreateContext());
    }

    private String plain(HttpServerRequest request, String path) {
        return request.path()
                + " shows what runs here, so over plain HTTP only this " + (inPod ? "pod" : "host")
                + " itself sees it, and this request came from "
                + request.remoteAddress().hostAddress() + "; ask "
                + (inPod ? "through kubectl port-forward to this pod" : "on the host") + " (curl localhost:"
                + request.localAddress().port() + path
                + "), or set http.tls.certificate and http.tls.key"
                + (inPod ? " (for the chart's controllers: controller.deployment.tlsSecret)" : "")
                + ", and ask over TLS with a bearer token\n";
    }

    private static Future<ReviewedAccess> refused(PageReply reply) {
        return Future.succeededFuture(new ReviewedAccess.AccessRefused(reply));
    }
}
