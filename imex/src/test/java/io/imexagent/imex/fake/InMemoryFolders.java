package io.imexagent.imex.fake;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Temporary folders of tests in memory, where the host has room for that: what is written durably there costs no disk.
 * Programs may not be started from there everywhere.
 */
public final class InMemoryFolders implements TempDirFactory {

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ROOM = 32L << 20;

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
        return Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() > ROOM
                ? Files.createTempDirectory(MEMORY, "imex-")
                : Files.createTempDirectory("imex-");
    }
}
