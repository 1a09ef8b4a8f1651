package io.imexagent.kubernetes.access;

import java.net.URI;
import java.time.Instant;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How to reach the cluster, and as whom, as the kubeconfig and all that it names said at one moment.
 *
 * @param server the server's URL, without a slash at its end
 * @param tls keys and trust for connections; empty for plain HTTP
 * @param token the bearer token of each request; empty where requests carry none
 * @param identity who asks, for messages; holds no secret
 * @param validUntil when a plugin's credential ends; empty where none does
 * @param fingerprint equal where nothing changed
 * @param connectionFingerprint equal where connections made with the other access still serve
 */
public record Access(
        URI server,
        Optional<SSLContext> tls,
        Optional<String> token,
        String identity,
        Optional<Instant> validUntil,
        String fingerprint,
        String connectionFingerprint) {

    /** Whether a plugin's credential ends before long; 10 s ahead, so that no request carries a dead one. */
    public boolean expired(Instant now) {
        return ends(validUntil, now);
    }

    static boolean ends(Optional<Instant> validUntil, Instant now) {
        return validUntil.map(end -> now.isAfter(end.minusSeconds(10))).orElse(false);
    }

    /** Shows no token. */
    @Override
    public String toString() {
        return server + " as " + identity;
    }
}
