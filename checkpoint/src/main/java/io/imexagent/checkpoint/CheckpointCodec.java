package io.imexagent.checkpoint;

import io.imexagent.core.ledger.Ledger;

/**
 * The content of {@code checkpoint.json}: the public driver's format V2, with its V1 part for downgrades. Pure.
 *
 * <p>What is encoded is byte for byte what that driver would write of the same claims, so that a node can go from one to
 * the other with pods running. What is decoded is checked by the two checksums over the bytes as they were read, so that
 * fields of newer drivers do no harm.
 */
public final class CheckpointCodec {

    private CheckpointCodec() {}

    /** The ledger as a file's content. Times lose what is below a second. */
    public static byte[] encode(Ledger ledger) {
        return CheckpointEncoder.encode(ledger);
    }

    /** The ledger in a file's content, or why there is none to trust. Never throws, whatever the bytes. */
    public static Decoded decode(byte[] content) {
        return CheckpointDecoder.decode(content);
    }

    /** What a file's content is. */
    public sealed interface Decoded {

        /**
         * A checkpoint, as it was written.
         *
         * @param ledger what it says
         * @param beforeV2 whether it has a V1 part only: a driver wrote it that knew neither names nor boot IDs
         */
        record Intact(Ledger ledger, boolean beforeV2) implements Decoded {}

        /**
         * Torn, bent or foreign.
         *
         * @param reason a clause that says what is wrong, and where
         */
        record Broken(String reason) implements Decoded {}
    }
}
