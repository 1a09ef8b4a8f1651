package io.imexagent.checkpoint;

import io.imexagent.core.ledger.Ledger;

/** The format of a checkpoint: the name of its file and the encoding of the ledger. Pure. */
public sealed interface CheckpointFormat permits PublicDriverFormat, OwnRecordFormat {

    /**
     * {@code checkpoint.json}: the public driver's format V2, with its V1 part for downgrades, byte for byte what that
     * driver would write, so that a node can go from one to the other with pods running. The two checksums are over the
     * bytes as they were read, so that fields of newer drivers do no harm.
     */
    CheckpointFormat PUBLIC_DRIVER = new PublicDriverFormat();

    /** The agent's own format, for plain devices; a file of it begins with this magic word. */
    static CheckpointFormat own(String fileName, String magic) {
        return new OwnRecordFormat(fileName, magic);
    }

    sealed interface Decoded {

        /** A valid checkpoint. {@code beforeV2} marks that of an older driver, without claims' names and boot IDs. */
        record IntactCheckpoint(Ledger ledger, boolean beforeV2) implements Decoded {}

        /** A truncated, corrupted or foreign file. The reason is a clause that names the place. */
        record BrokenCheckpoint(String reason) implements Decoded {}
    }

    String fileName();

    /**
     * Encodes the ledger as the file's content, reusing the texts of unchanged entries. Times are cut to whole seconds.
     */
    byte[] encode(Ledger ledger, EntryTexts texts);

    /** Decodes the file's content to a ledger, or to the reason why it is invalid. Never throws, whatever the bytes. */
    Decoded decode(byte[] content);
}
