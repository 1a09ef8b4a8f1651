package io.imexagent.kubernetes.access;

import java.time.Instant;
import java.util.Optional;

/**
 * What a credential plugin gave ({@code client.authentication.k8s.io ExecCredentialStatus}). Shows no secret.
 *
 * @param token the bearer token
 * @param certificate the client certificate chain
 * @param key the client key
 * @param expires when the credential ends
 */
record ExecCredential(
        Optional<String> token, Optional<PemText> certificate, Optional<PemText> key, Optional<Instant> expires) {

    @Override
    public String toString() {
        return "ExecCredential[expires=" + expires + "]";
    }
}
