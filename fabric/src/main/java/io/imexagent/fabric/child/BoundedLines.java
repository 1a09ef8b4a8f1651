package io.imexagent.fabric.child;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads the lines of a stream, each at most as long as a message may be. */
final class BoundedLines {

    private final InputStream source;
    private final byte[] line = new byte[ChildMessage.LONGEST];

    /** Reads from the source byte by byte, so the source should be buffered. */
    BoundedLines(InputStream source) {
        this.source = source;
    }

    /** Returns the next line without its line feed; empty if the stream ends, even in the middle of a line. */
    Optional<String> next() throws IOException {
        int length = 0;
        for (int read = source.read(); read != '\n'; read = source.read()) {
            if (read < 0) {
                return Optional.empty();
            }
            if (length == line.length) {
                throw new IOException("a line of more than " + line.length + " bytes");
            }
            line[length++] = (byte) read;
        }
        return Optional.of(new String(line, 0, length, StandardCharsets.UTF_8));
    }
}
