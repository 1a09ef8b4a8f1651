package io.imexagent.kubernetes.access;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** PEM text and where it came from. Its text form shows only the latter, for it may hold a key. */
final class PemText {

    private final String where;
    private final byte[] bytes;

    PemText(String where, byte[] bytes) {
        this.where = where;
        this.bytes = bytes.clone();
    }

    /** Where it came from, for messages. */
    String where() {
        return where;
    }

    /** The text; every form that is read is ASCII. */
    String text() {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** The bytes, for a digest. */
    Optional<byte[]> bytes() {
        return Optional.of(bytes.clone());
    }

    @Override
    public String toString() {
        return where;
    }
}
