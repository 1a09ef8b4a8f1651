package io.imexagent.kubernetes.access;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
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
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PEM text (RFC 7468): certificates, and private keys in the forms that Kubernetes tools write: PKCS #8, SEC 1 ({@code
 * EC PRIVATE KEY}, which the kubelet writes) and PKCS #1 ({@code RSA PRIVATE KEY}). One text may hold both, as the
 * kubelet's {@code kubelet-client-current.pem} does. {@code where} names its source in messages.
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

    /** The first private key of the text; empty if it has none. */
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
                case "EC PRIVATE KEY" -> Der.pkcs8OfSec1(der);
                case "RSA PRIVATE KEY" -> Der.pkcs8OfPkcs1(der);
                default -> throw new AccessException(where + " holds a key of unknown form: " + label);
            };
            return key(pkcs8);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // The parser's message could quote the key; the kind of fault is enough.
            throw new AccessException(
                    where + " holds a key that cannot be read (" + e.getClass().getSimpleName() + ")");
        }
    }

    /** Reads a PKCS #8 key with the factory of its algorithm; a factory of the JDK accepts only its own. */
    private static PrivateKey key(byte[] pkcs8) throws GeneralSecurityException {
        for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException e) {
                // The key has another algorithm.
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

    /** Wraps the older forms of private keys into PKCS #8 (RFC 5208), the only one that the JDK reads. */
    private static final class Der {

        private static final int INTEGER = 0x02;
        private static final int OCTET_STRING = 0x04;
        private static final int OBJECT_IDENTIFIER = 0x06;
        private static final int SEQUENCE = 0x30;
        private static final int PARAMETERS = 0xa0;

        private static final byte[] VERSION_0 = {INTEGER, 1, 0};
        private static final byte[] RSA_ALGORITHM = HexFormat.of().parseHex("300d06092a864886f70d0101010500");
        private static final byte[] EC = HexFormat.of().parseHex("06072a8648ce3d0201");

        private Der() {}

        /** RFC 5915 {@code ECPrivateKey}: the curve in {@code [0]} moves into the algorithm identifier. */
        static byte[] pkcs8OfSec1(byte[] der) throws InvalidKeyException {
            ByteBuffer key = ByteBuffer.wrap(content(ByteBuffer.wrap(der), SEQUENCE));
            byte[] _ = content(key, INTEGER);
            byte[] _ = content(key, OCTET_STRING);
            byte[] curve = content(key, PARAMETERS);
            if (curve.length == 0 || curve[0] != OBJECT_IDENTIFIER) {
                throw new InvalidKeyException("the key's curve is not named");
            }
            return sequence(VERSION_0, sequence(EC, curve), element(OCTET_STRING, der));
        }

        static byte[] pkcs8OfPkcs1(byte[] der) {
            return sequence(VERSION_0, RSA_ALGORITHM, element(OCTET_STRING, der));
        }

        private static byte[] sequence(byte[]... parts) {
            var content = new ByteArrayOutputStream();
            for (byte[] part : parts) {
                content.writeBytes(part);
            }
            return element(SEQUENCE, content.toByteArray());
        }

        private static byte[] element(int tag, byte[] content) {
            var element = new ByteArrayOutputStream(content.length + 5);
            element.write(tag);
            if (content.length >= 0x100) {
                element.write(0x82);
                element.write(content.length >> 8);
            } else if (content.length >= 0x80) {
                element.write(0x81);
            }
            element.write(content.length);
            element.writeBytes(content);
            return element.toByteArray();
        }

        private static byte[] content(ByteBuffer der, int tag) throws InvalidKeyException {
            if (next(der) != tag) {
                throw new InvalidKeyException("unexpected DER element");
            }
            int length = next(der);
            if (length > 0x80) {
                int bytes = length - 0x80;
                length = 0;
                for (int i = 0; i < bytes; i++) {
                    length = length << 8 | next(der);
                }
            }
            if (length < 0 || length > der.remaining()) {
                throw new InvalidKeyException("truncated DER element");
            }
            byte[] content = new byte[length];
            der.get(content);
            return content;
        }

        private static int next(ByteBuffer der) throws InvalidKeyException {
            if (!der.hasRemaining()) {
                throw new InvalidKeyException("truncated DER element");
            }
            return der.get() & 0xff;
        }
    }
}
