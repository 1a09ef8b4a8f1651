package io.imexagent.fabric.rank;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that the ranks of a run share. It is never sent over the network. A rank proves that it has the token by a
 * MAC over a random challenge of the other side, so that a recorded connection cannot be replayed.
 */
final class RunToken {

    /** The length of a token in bytes. */
    static final int BYTES = 32;

    /** The length of a challenge in bytes. */
    static final int CHALLENGE = 16;

    /** The length of a proof in bytes: HMAC-SHA256 (RFC 2104). */
    static final int PROOF = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    private RunToken(byte[] secret) {
        this.key = new SecretKeySpec(secret, ALGORITHM);
    }

    /** Parses a token of 64 hex digits. */
    static RunToken of(String hex) throws IOException {
        if (!hex.matches("[0-9a-f]{" + 2 * BYTES + "}")) {
            throw new IOException("the token of the run is not " + 2 * BYTES + " hex digits");
        }
        return new RunToken(HexFormat.of().parseHex(hex));
    }

    /** Returns a new random challenge. */
    static byte[] challenge(SecureRandom random) {
        byte[] drawn = new byte[CHALLENGE];
        random.nextBytes(drawn);
        return drawn;
    }

    byte[] proof(byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            for (byte[] part : parts) {
                // Each part follows its length, so that different lists of parts never have the same bytes.
                mac.update((byte) (part.length >> 8));
                mac.update((byte) part.length);
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has " + ALGORITHM, impossible);
        }
    }

    /** Whether the claimed proof is that of these parts; compares in constant time. */
    boolean isProof(byte[] claimed, byte[]... parts) {
        return MessageDigest.isEqual(proof(parts), claimed);
    }
}
