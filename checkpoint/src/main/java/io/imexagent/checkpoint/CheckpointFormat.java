package io.imexagent.checkpoint;

import io.imexagent.core.ledger.Ledger;

/** How a ledger is written into a file: its name and its content. Pure. */
public sealed interface CheckpointFormat permits PublicDriverFormat, OwnRecordFormat {

    /**
     * {@code checkpoint.json}: the public driver's format V2, with its V1 part for downgrades, byte for byte what that
     * driver would write, so that a node can go from one to the other with pods running. The two checksums are over the
     * bytes as they were read, so that fields of newer drivers do no harm.
     */
    CheckpointFormat PUBLIC_DRIVER = new PublicDriverFormat();

    /** A record that is the agent's own, of plain devices; it begins with the magic word, which tells what it is. */
    static CheckpointFormat own(String fileName, String magic) {
        return new OwnRecordFormat(fileName, magic);
    }

    sealed interface Decoded {

        /** A checkpoint; one {@code beforeV2} is of a driver that knew neither names nor boot IDs. */
        record IntactCheckpoint(Ledger ledger, boolean beforeV2) implements Decoded {}

        /** Torn, bent or foreign, for a reason that is a clause and says where. */
        record BrokenCheckpoint(String reason) implements Decoded {}
    }

    String fileName();

    /** The ledger as the file's content, with texts of the one encoded before. Times lose what is below a second. */
    byte[] encode(Ledger ledger, EntryTexts texts);

    /** The ledger in the file's content, or why there is none to trust. Never throws, whatever the bytes. */
    Decoded decode(byte[] content);
}
