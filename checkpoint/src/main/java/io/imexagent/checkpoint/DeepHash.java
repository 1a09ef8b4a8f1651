package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * The checksum of the public driver's checkpoints: FNV-1a, 32 bit, over {@code ([]uint8)[b0 b1 b2 …]} with the decimal
 * values of the JSON's bytes, which is how Go prints them (kubelet's checkpoint manager). The text is never built: each
 * byte's digits go straight into the hash.
 */
final class DeepHash {

    private static final int OFFSET_BASIS = 0x811c9dc5;
    private static final int PRIME = 0x01000193;
    private static final byte[][] DECIMALS = decimals();

    private int hash = OFFSET_BASIS;
    private boolean first = true;

    DeepHash() {
        hash = ascii(hash, "([]uint8)[");
    }

    DeepHash update(byte[] document, int from, int to) {
        int h = hash;
        for (int i = from; i < to; i++) {
            if (!first) {
                h = (h ^ ' ') * PRIME;
            }
            first = false;
            for (byte digit : DECIMALS[document[i] & 0xff]) {
                h = (h ^ digit) * PRIME;
            }
        }
        hash = h;
        return this;
    }

    DeepHash update(String text) {
        byte[] bytes = text.getBytes(US_ASCII);
        return update(bytes, 0, bytes.length);
    }

    /** The checksum, 0 to 2³² − 1. */
    long value() {
        return Integer.toUnsignedLong(ascii(hash, "]"));
    }

    private static int ascii(int hash, String text) {
        int h = hash;
        for (int i = 0; i < text.length(); i++) {
            h = (h ^ text.charAt(i)) * PRIME;
        }
        return h;
    }

    private static byte[][] decimals() {
        var decimals = new byte[256][];
        for (int value = 0; value < decimals.length; value++) {
            decimals[value] = Integer.toString(value).getBytes(US_ASCII);
        }
        return decimals;
    }
}
