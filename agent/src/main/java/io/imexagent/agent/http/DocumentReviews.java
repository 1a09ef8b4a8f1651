package io.imexagent.agent.http;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.Reviews.User;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reviews by the API server whether clients may read a document, with a cache of the results. Thread-safe. */
final class DocumentReviews {

    /** How long a client can still read documents after its permission was revoked. */
    private static final Duration ADMITTED = Duration.ofMinutes(1);

    /** How long a client may have to wait after its permission was granted. */
    private static final Duration REFUSED = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(DocumentReviews.class);

    private final Reviews reviews;
    private final LongSupplier nanoTime;
    // Separate caches, so that invented tokens evict no admitted client.
    private final ReviewCache admitted = new ReviewCache(ADMITTED);
    private final ReviewCache refused = new ReviewCache(REFUSED);
    private volatile boolean failing;

    DocumentReviews(Reviews reviews, LongSupplier nanoTime) {
        this.reviews = reviews;
        this.nanoTime = nanoTime;
    }

    /** The API server's recent decision; empty if a new review is needed. */
    Optional<ReviewedAccess> remembered(Credential credential, String path) {
        String key = key(credential, path);
        long now = nanoTime.getAsLong();
        return admitted.recall(key, now).or(() -> refused.recall(key, now));
    }

    /** Calls the API server for a review. Blocks. */
    ReviewedAccess ask(Credential credential, String path) {
        try {
            ReviewedAccess admission = review(credential, path);
            failing = false;
            (admission instanceof ReviewedAccess.AccessGranted ? admitted : refused)
                    .keep(key(credential, path), admission, nanoTime.getAsLong());
            return admission;
        } catch (ApiException failure) {
            if (!failing) {
                LOG.warn(
                        "documents are shown on this host only, the API server cannot review other users"
                                + " kind={} reason=\"{}\"",
                        failure.failure().kind().label(),
                        failure.failure().message());
            }
            failing = true;
            return new ReviewedAccess.AccessRefused(PageReply.text(
                    503,
                    "Retry-After",
                    "10",
                    "the API server did not answer who may read " + path
                            + "; the log says why. On the host itself it is shown without asking\n"));
        }
    }

    private ReviewedAccess review(Credential credential, String path) throws ApiException {
        Optional<User> user = switch (credential) {
            case Credential.BearerToken token -> reviews.owner(token.text());
            case Credential.ClientCertificate certificate -> Optional.of(certificate.user());
        };
        if (user.isEmpty()) {
            return new ReviewedAccess.AccessRefused(
                    unknown("the API server does not know this token; it may have expired, or be another cluster's\n"));
        }
        return reviews.mayGet(user.get(), path)
                ? new ReviewedAccess.AccessGranted()
                : new ReviewedAccess.AccessRefused(
                        PageReply.text(403, forbidden(user.get().name(), path)));
    }

    /** The reply to a client without a credential, or with an unknown one. */
    static PageReply unknown(String text) {
        return PageReply.text(401, "WWW-Authenticate", "Bearer", text);
    }

    private static String forbidden(String user, String path) {
        return "user " + user + " may not get " + path + "; bind the ClusterRole imex-agent-documents to it: kubectl"
                + " create clusterrolebinding NAME --clusterrole=imex-agent-documents --user=" + user + "\n";
    }

    private static String key(Credential credential, String path) {
        return credential.fingerprint() + " " + path;
    }

    private static final class ReviewCache {

        private static final int MOST = 256;

        private final LinkedHashMap<String, CachedReview> kept = new LinkedHashMap<>();
        private final Duration time;

        ReviewCache(Duration time) {
            this.time = time;
        }

        private record CachedReview(ReviewedAccess admission, long until) {}

        synchronized void keep(String key, ReviewedAccess admission, long now) {
            kept.putLast(key, new CachedReview(admission, now + time.toNanos()));
            if (kept.size() > MOST) {
                kept.pollFirstEntry();
            }
        }

        synchronized Optional<ReviewedAccess> recall(String key, long now) {
            return Optional.ofNullable(kept.get(key))
                    .filter(answer -> answer.until() - now > 0)
                    .map(CachedReview::admission);
        }
    }

    sealed interface ReviewedAccess {

        record AccessGranted() implements ReviewedAccess {}

        /** The client may not read the document; the reply states the reason and the remedy. */
        record AccessRefused(PageReply reply) implements ReviewedAccess {}
    }
}
