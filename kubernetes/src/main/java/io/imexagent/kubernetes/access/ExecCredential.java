package io.imexagent.kubernetes.access;

import java.time.Instant;
import java.util.Optional;

/** What a credential plugin gave ({@code client.authentication.k8s.io ExecCredentialStatus}). Shows no secret. */
final class ExecCredential {

    private final Optional<String> token;
    private final Optional<byte[]> certificate;
    private final Optional<byte[]> key;
    private final Optional<Instant> expires;

    ExecCredential(
            Optional<String> token, Optional<byte[]> certificate, Optional<byte[]> key, Optional<Instant> expires) {
        this.token = token;
        this.certificate = certificate;
        this.key = key;
        this.expires = expires;
    }

    /** The bearer token. */
    Optional<String> token() {
        return token;
    }

    /** The client certificate chain, PEM. */
    Optional<byte[]> certificate() {
        return certificate;
    }

    /** The client key, PEM. */
    Optional<byte[]> key() {
        return key;
    }

    /** When the credential ends. */
    Optional<Instant> expires() {
        return expires;
    }
}
