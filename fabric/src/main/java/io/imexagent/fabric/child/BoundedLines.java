package io.imexagent.fabric.child;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Lines of a stream, none longer than a message may be. */
final class BoundedLines {

    private final InputStream source;
    private final byte[] line = new byte[ChildMessage.LONGEST];

    /** Reads byte by byte, so the source is a buffered one. */
    BoundedLines(InputStream source) {
        this.source = source;
    }

    /** The next line without its end; empty where the stream ends, in the midst of a line too. */
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
