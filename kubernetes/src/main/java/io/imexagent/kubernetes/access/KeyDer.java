package io.imexagent.kubernetes.access;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.util.HexFormat;

/**
 * DER of private keys: wraps the older forms into PKCS #8 (RFC 5208), the only one that the JDK reads.
 *
 * <p>SEC 1 keys are RFC 5915 {@code ECPrivateKey { version, privateKey, [0] parameters, [1] publicKey }}: the curve in
 * {@code [0]} moves into the algorithm identifier, and the key itself is taken over as it is.
 */
final class KeyDer {

    private static final int INTEGER = 0x02;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int SEQUENCE = 0x30;
    private static final int PARAMETERS = 0xa0;

    private static final byte[] VERSION_0 = {INTEGER, 1, 0};
    private static final byte[] RSA_ALGORITHM = HexFormat.of().parseHex("300d06092a864886f70d0101010500");
    private static final byte[] EC = HexFormat.of().parseHex("06072a8648ce3d0201");

    private KeyDer() {}

    /** Wraps an {@code ECPrivateKey}. */
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

    /** Wraps an {@code RSAPrivateKey}. */
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
