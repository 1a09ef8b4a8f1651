package io.imexagent.kubernetes.access;

import java.net.URI;
import java.time.Instant;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How to reach the cluster, and as whom, as the kubeconfig and all that it names said at one moment. Without {@code tls}
 * connections are plain HTTP; the identity is for messages and holds no secret; {@code validUntil} is the end of a plugin's
 * credential. The fingerprint is equal where nothing changed, the other one where connections still serve.
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
