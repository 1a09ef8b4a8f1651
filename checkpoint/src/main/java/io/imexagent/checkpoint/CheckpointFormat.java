package io.imexagent.checkpoint;

import io.imexagent.core.ledger.Ledger;
import java.util.function.Function;

/** How a ledger is written into a file: its name and its content. Pure. */
public final class CheckpointFormat {

    /**
     * {@code checkpoint.json}: the public driver's format V2, with its V1 part for downgrades.
     *
     * <p>What is encoded is byte for byte what that driver would write of the same claims, so that a node can go from one
     * to the other with pods running. What is decoded is checked by the two checksums over the bytes as they were read, so
     * that fields of newer drivers do no harm.
     */
    public static final CheckpointFormat PUBLIC_DRIVER =
            new CheckpointFormat("checkpoint.json", CheckpointEncoder::encode, CheckpointDecoder::decode);

    private final String fileName;
    private final Function<Ledger, byte[]> encoder;
    private final Function<byte[], Decoded> decoder;

    private CheckpointFormat(String fileName, Function<Ledger, byte[]> encoder, Function<byte[], Decoded> decoder) {
        this.fileName = fileName;
        this.encoder = encoder;
        this.decoder = decoder;
    }

    /**
     * A record that is the agent's own, of plain devices, see {@link OwnRecordCodec}.
     *
     * @param fileName the name of the file in its directory
     * @param magic the word that it begins with, which tells what it is
     */
    public static CheckpointFormat own(String fileName, String magic) {
        var codec = new OwnRecordCodec(magic);
        return new CheckpointFormat(fileName, codec::encode, codec::decode);
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

    /** The name of the file in its directory. */
    public String fileName() {
        return fileName;
    }

    /** The ledger as the file's content. Times lose what is below a second. */
    public byte[] encode(Ledger ledger) {
        return encoder.apply(ledger);
    }

    /** The ledger in the file's content, or why there is none to trust. Never throws, whatever the bytes. */
    public Decoded decode(byte[] content) {
        return decoder.apply(content);
    }
}
