package io.imexagent.fabric.rank;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that the ranks of a run share. It never crosses the network: who has it answers a number that the other side
 * drew, so that what was recorded of one connection is of no use in another.
 */
final class RunToken {

    /** The random bytes of a token. */
    static final int BYTES = 32;

    /** The bytes of a challenge. */
    static final int CHALLENGE = 16;

    /** The bytes of a proof: HMAC-SHA256 (RFC 2104). */
    static final int PROOF = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    private RunToken(byte[] secret) {
        this.key = new SecretKeySpec(secret, ALGORITHM);
    }

    /** The token of 64 hex digits. */
    static RunToken of(String hex) throws IOException {
        if (!hex.matches("[0-9a-f]{" + 2 * BYTES + "}")) {
            throw new IOException("the token of the run is not " + 2 * BYTES + " hex digits");
        }
        return new RunToken(HexFormat.of().parseHex(hex));
    }

    /** A number that was never drawn before, to be answered. */
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
                // Each with its length, so that no two lists of parts are the same bytes.
                mac.update((byte) (part.length >> 8));
                mac.update((byte) part.length);
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has " + ALGORITHM, impossible);
        }
    }

    /** Compares in a time that does not depend on where the two differ. */
    boolean isProof(byte[] claimed, byte[]... parts) {
        return MessageDigest.isEqual(proof(parts), claimed);
    }
}
