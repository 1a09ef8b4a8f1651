package io.imexagent.testing.api.tls;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** TLS of a client that trusts one authority and no other. */
public final class ClientTls {

    private ClientTls() {}

    /**
     * Trusts the authority of this certificate in PEM, and shows a server that asks its own certificate, where it has
     * one.
     */
    public static SSLContext context(String authority, Optional<IssuedCertificate> own) throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(new ByteArrayInputStream(authority.getBytes(StandardCharsets.US_ASCII)));
        own.map(IssuedCertificate::bundle)
                .ifPresent(shown -> builder.keyManager(shown.getKeyPair().getPrivate(), shown.getCertificatePath()));
        return ((JdkSslContext) builder.build()).context();
    }
}
