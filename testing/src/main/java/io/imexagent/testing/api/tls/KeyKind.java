package io.imexagent.testing.api.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.nio.charset.StandardCharsets;
import java.security.interfaces.ECPrivateKey;
import java.util.Base64;
import java.util.HexFormat;

/** The algorithm of a private key, and the PEM form in which it is written. */
public enum KeyKind {
    /** P-256 as {@code BEGIN EC PRIVATE KEY} (RFC 5915): what the kubelet writes to kubelet-client-current.pem. */
    EC_SEC1(Algorithm.ecp256),
    /** P-256 as {@code BEGIN PRIVATE KEY} (PKCS #8). */
    EC_PKCS8(Algorithm.ecp256),
    /** RSA, 2048 bits, as {@code BEGIN PRIVATE KEY} (PKCS #8). */
    RSA_PKCS8(Algorithm.rsa2048);

    private static final int POINT_BYTES = 65;

    private final Algorithm algorithm;

    KeyKind(Algorithm algorithm) {
        this.algorithm = algorithm;
    }

    CertificateBuilder builder() {
        return new CertificateBuilder().algorithm(algorithm);
    }

    String pem(X509Bundle issued) {
        if (this != EC_SEC1 || !(issued.getKeyPair().getPrivate() instanceof ECPrivateKey key)) {
            return issued.getPrivateKeyPEM();
        }
        byte[] publicKey = issued.getKeyPair().getPublic().getEncoded();
        String point = HexFormat.of().formatHex(publicKey, publicKey.length - POINT_BYTES, publicKey.length);
        // RFC 5915 for P-256: version 1, the key, the curve's identifier, the public point.
        byte[] der = HexFormat.of()
                .parseHex("30770201010420%064xa00a06082a8648ce3d030107a144034200%s".formatted(key.getS(), point));
        return "-----BEGIN EC PRIVATE KEY-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(der)
                + "\n-----END EC PRIVATE KEY-----\n";
    }
}
