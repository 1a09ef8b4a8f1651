package io.imexagent.kubernetes.access;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PEM text (RFC 7468): certificates, and private keys in the forms that Kubernetes tools write: PKCS #8, SEC 1
 * ({@code EC PRIVATE KEY}, which the kubelet writes) and PKCS #1 ({@code RSA PRIVATE KEY}). One text may hold both, as
 * the kubelet's {@code kubelet-client-current.pem} does. Its text form shows only where it came from.
 *
 * @param where where it came from, for messages
 * @param text the text; every form that is read is ASCII
 */
record Pem(String where, String text) {

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);

    /** The certificates of the text, in their order; at least one. */
    List<X509Certificate> certificates() throws AccessException {
        var certificates = new ArrayList<X509Certificate>();
        Matcher block = BLOCK.matcher(text);
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            while (block.find()) {
                if (block.group(1).equals("CERTIFICATE")) {
                    var der = new ByteArrayInputStream(decoded(block.group(2)));
                    certificates.add((X509Certificate) factory.generateCertificate(der));
                }
            }
        } catch (CertificateException e) {
            throw new AccessException(where + " holds a certificate that cannot be read: " + e.getMessage(), e);
        }
        if (certificates.isEmpty()) {
            throw new AccessException(where + " holds no PEM certificate");
        }
        return certificates;
    }

    /** The first private key of the text; empty where it has none. */
    Optional<PrivateKey> privateKey() throws AccessException {
        Matcher block = BLOCK.matcher(text);
        while (block.find()) {
            String label = block.group(1);
            if (label.equals("ENCRYPTED PRIVATE KEY") || block.group(2).contains("ENCRYPTED")) {
                throw new AccessException(where + " holds an encrypted key; store it without a passphrase, mode 0600");
            }
            if (label.endsWith("PRIVATE KEY")) {
                return Optional.of(key(label, decoded(block.group(2))));
            }
        }
        return Optional.empty();
    }

    private PrivateKey key(String label, byte[] der) throws AccessException {
        try {
            byte[] pkcs8 = switch (label) {
                case "PRIVATE KEY" -> der;
                case "EC PRIVATE KEY" -> KeyDer.pkcs8OfSec1(der);
                case "RSA PRIVATE KEY" -> KeyDer.pkcs8OfPkcs1(der);
                default -> throw new AccessException(where + " holds a key of unknown form: " + label);
            };
            return key(pkcs8);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // What the parser says could quote the key; the kind of the fault is enough.
            throw new AccessException(
                    where + " holds a key that cannot be read (" + e.getClass().getSimpleName() + ")");
        }
    }

    /** PKCS #8 names its algorithm, and a factory of the JDK takes its own only. */
    private static PrivateKey key(byte[] pkcs8) throws GeneralSecurityException {
        for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException e) {
                // Another one's.
            }
        }
        throw new InvalidKeyException("neither RSA nor EC nor Ed25519");
    }

    private byte[] decoded(String base64) throws AccessException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new AccessException(where + " holds a PEM block that is no base64");
        }
    }

    @Override
    public String toString() {
        return where;
    }
}
