package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.access.Access;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** Names what is wrong with TLS, out of the exceptions of the JDK. */
final class TlsFault {

    private TlsFault() {}

    /** Whether TLS failed at all. */
    static boolean in(Throwable exception) {
        return find(exception, SSLException.class).isPresent()
                || find(exception, CertificateException.class).isPresent();
    }

    /** The fault in a sentence; empty where TLS is not to blame. */
    static Optional<String> of(Throwable exception, Access access) {
        if (!in(exception)) {
            return Optional.empty();
        }
        String server = "the API server " + access.server();
        if (find(exception, CertificateExpiredException.class).isPresent()) {
            return Optional.of("TLS: the certificate of " + server + ", or of its authority, has expired; renew it, or"
                    + " set this host's clock");
        }
        if (find(exception, CertificateNotYetValidException.class).isPresent()) {
            return Optional.of("TLS: the certificate of " + server + " is not valid yet; set this host's clock");
        }
        if (find(exception, CertPathBuilderException.class).isPresent()
                || find(exception, CertPathValidatorException.class).isPresent()) {
            return Optional.of("TLS: the certificate of " + server + " is not signed by the certificate authority in "
                    + access.identity() + "; put the cluster's authority there");
        }
        String said = find(exception, CertificateException.class)
                .map(Throwable::getMessage)
                .or(() -> find(exception, SSLException.class).map(Throwable::getMessage))
                .orElse("no reason given");
        if (said.contains("subject alternative") || said.startsWith("No name matching")) {
            return Optional.of("TLS: the certificate of " + server + " is not for this name (" + said
                    + "); use a server URL that the certificate names");
        }
        if (said.contains("fatal alert")) {
            return Optional.of("TLS: " + server + " refused the handshake (" + said + ") with the identity of "
                    + access.identity() + "; where its client certificate has expired or has another authority, renew"
                    + " it");
        }
        return Optional.of("TLS with " + server + " failed (" + said + ")");
    }

    static <T extends Throwable> Optional<T> find(Throwable exception, Class<T> type) {
        int depth = 0;
        for (Throwable at = exception; at != null && depth < 20; at = at.getCause(), depth++) {
            if (type.isInstance(at)) {
                return Optional.of(type.cast(at));
            }
        }
        return Optional.empty();
    }
}
