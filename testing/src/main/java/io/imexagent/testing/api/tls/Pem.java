package io.imexagent.testing.api.tls;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The PEM text form of DER bytes (RFC 7468). */
final class Pem {
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

    private Pem() {}

    static String block(String label, byte[] der) {
        return "-----BEGIN " + label + "-----\n" + LINES.encodeToString(der) + "\n-----END " + label + "-----\n";
    }
}
