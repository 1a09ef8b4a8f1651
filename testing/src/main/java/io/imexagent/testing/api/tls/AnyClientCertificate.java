package io.imexagent.testing.api.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Lets every client certificate through the handshake and names the authority in the certificate request, so that
 * clients know which of their certificates to present.
 */
final class AnyClientCertificate extends X509ExtendedTrustManager {
    private final X509Certificate authority;

    AnyClientCertificate(X509Certificate authority) {
        this.authority = authority;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {
        // Authentication judges the certificate later; a handshake that fails could not say why.
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
        checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("the double opens no connections of its own");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        checkServerTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[] {authority};
    }
}
