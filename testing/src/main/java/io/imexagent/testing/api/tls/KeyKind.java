package io.imexagent.testing.api.tls;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;

/** The algorithm of a private key, and the PEM form in which it is written. */
public enum KeyKind {
    /** P-256 as {@code BEGIN EC PRIVATE KEY} (RFC 5915): what the kubelet writes to kubelet-client-current.pem. */
    EC_SEC1("EC PRIVATE KEY"),
    /** P-256 as {@code BEGIN PRIVATE KEY} (PKCS #8). */
    EC_PKCS8("PRIVATE KEY"),
    /** RSA, 2048 bits, as {@code BEGIN PRIVATE KEY} (PKCS #8). */
    RSA_PKCS8("PRIVATE KEY");

    private static final int P256_POINT_BYTES = 65;

    private final String pemLabel;

    KeyKind(String pemLabel) {
        this.pemLabel = pemLabel;
    }

    KeyPair generate() throws NoSuchAlgorithmException, InvalidAlgorithmParameterException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(this == RSA_PKCS8 ? "RSA" : "EC");
        if (this == RSA_PKCS8) {
            generator.initialize(2048);
        } else {
            generator.initialize(new ECGenParameterSpec("secp256r1"));
        }
        return generator.generateKeyPair();
    }

    String pem(KeyPair keys) throws GeneralSecurityException {
        byte[] der = switch (this) {
            case EC_SEC1 -> sec1(keys);
            case EC_PKCS8, RSA_PKCS8 -> keys.getPrivate().getEncoded();
        };
        return Pem.block(pemLabel, der);
    }

    private static byte[] sec1(KeyPair keys) throws GeneralSecurityException {
        if (!(keys.getPrivate() instanceof ECPrivateKey key)) {
            throw new GeneralSecurityException(
                    "not an EC key: " + keys.getPrivate().getAlgorithm());
        }
        byte[] spki = keys.getPublic().getEncoded();
        byte[] point = Arrays.copyOfRange(spki, spki.length - P256_POINT_BYTES, spki.length);
        return Der.sequence(
                Der.integer(BigInteger.ONE),
                Der.octetString(fixedWidth(key.getS(), 32)),
                Der.explicit(0, Der.oid("1.2.840.10045.3.1.7")),
                Der.explicit(1, Der.bitString(point)));
    }

    private static byte[] fixedWidth(BigInteger value, int width) {
        byte[] bytes = value.toByteArray();
        byte[] out = new byte[width];
        int copied = Math.min(bytes.length, width);
        System.arraycopy(bytes, bytes.length - copied, out, width - copied, copied);
        return out;
    }
}
