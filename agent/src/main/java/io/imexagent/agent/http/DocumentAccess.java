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
 * Who may read documents, which show what runs on a node or in a cluster: every client on this host, and over TLS each
 * user whom the API server lets {@code get} their path. For the event loop; reviews of the API server run on virtual
 * threads.
 */
final class DocumentAccess {

    /** How many reviews run at a time, and how many more may wait. */
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

    /** Whether the client of a request may see the document at this path, for which it asks. */
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

    /** Whether a connection's other end is on this host; what a request's headers say of it does not count. */
    static boolean isLocal(SocketAddress peer) {
        return Optional.ofNullable(peer.hostAddress())
                .filter(HttpSettings::isLoopback)
                .isPresent();
    }

    /** A page from elsewhere that a browser on this host shows can have its own name lead here, and no other. */
    private static boolean isRequestedByAddress(HttpServerRequest request) {
        // A name that is none is not understood, and may be a stranger's all the same.
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
