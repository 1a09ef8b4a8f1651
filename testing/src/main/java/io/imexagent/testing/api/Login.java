package io.imexagent.testing.api;

import io.imexagent.testing.api.tls.IssuedCertificate;
import java.nio.file.Path;
import java.util.List;

/** A way in which a kubeconfig says who its user is. */
public sealed interface Login {
    /** A client certificate, embedded as {@code client-certificate-data} and {@code client-key-data}. */
    record EmbeddedCertificate(IssuedCertificate issued) implements Login {}

    /**
     * One file that holds certificate and key, as {@code kubelet.conf} refers to {@code kubelet-client-current.pem}.
     * Rotate by {@link IssuedCertificate#writePem}.
     */
    record CertificateFile(Path pem) implements Login {}

    /** A bearer token in the kubeconfig itself. */
    record Token(String token) implements Login {}

    /** A file that holds a bearer token, and may be rewritten. */
    record TokenFile(Path file) implements Login {}

    /** A command that prints an ExecCredential. {@link KubeconfigWriter#writeExecPlugin} writes one. */
    record Exec(Path command, List<String> arguments) implements Login {
        /** Copies the arguments. */
        public Exec {
            arguments = List.copyOf(arguments);
        }
    }
}
