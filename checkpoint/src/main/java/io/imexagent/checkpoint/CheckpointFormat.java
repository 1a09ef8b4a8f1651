package io.imexagent.checkpoint;

import io.imexagent.core.ledger.Ledger;

/** How a ledger is written into a file: its name and its content. Pure. */
public interface CheckpointFormat {

    /** The public driver's {@code checkpoint.json}, see {@link CheckpointCodec}. */
    CheckpointFormat PUBLIC_DRIVER = new CheckpointFormat() {
        @Override
        public String fileName() {
            return "checkpoint.json";
        }

        @Override
        public byte[] encode(Ledger ledger) {
            return CheckpointCodec.encode(ledger);
        }

        @Override
        public CheckpointCodec.Decoded decode(byte[] content) {
            return CheckpointCodec.decode(content);
        }
    };

    /**
     * A record that is the agent's own, of plain devices, see {@link OwnRecordCodec}.
     *
     * @param fileName the name of the file in its directory
     * @param magic the word that it begins with, which tells what it is
     */
    static CheckpointFormat own(String fileName, String magic) {
        var codec = new OwnRecordCodec(magic);
        return new CheckpointFormat() {
            @Override
            public String fileName() {
                return fileName;
            }

            @Override
            public byte[] encode(Ledger ledger) {
                return codec.encode(ledger);
            }

            @Override
            public CheckpointCodec.Decoded decode(byte[] content) {
                return codec.decode(content);
            }
        };
    }

    /** The name of the file in its directory. */
    String fileName();

    /** The ledger as the file's content. Times lose what is below a second. */
    byte[] encode(Ledger ledger);

    /** The ledger in the file's content, or why there is none to trust. Never throws, whatever the bytes. */
    CheckpointCodec.Decoded decode(byte[] content);
}
