package io.imexagent.testing.api.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** TLS of a client that trusts one authority and no other. */
public final class ClientTls {

    private ClientTls() {}

    /**
     * Trusts the authority of this certificate in PEM, and shows a server that asks its own certificate, where it has
     * one.
     */
    public static SSLContext context(String authority, Optional<IssuedCertificate> own)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry(
                "authority",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(authority.getBytes(StandardCharsets.US_ASCII))));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        KeyManager[] keys =
                own.isPresent() ? own.get().bundle().toKeyManagerFactory().getKeyManagers() : new KeyManager[0];
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, trust.getTrustManagers(), null);
        return context;
    }
}
