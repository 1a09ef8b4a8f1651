package io.imexagent.imex.gate;

import io.imexagent.files.PassingFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The mark that the gate leaves where it has skipped a start of nvidia-imex: {@code /run/imex-agent/gate-skipped}, with
 * the reason. It is gone with the boot, or with a start that the gate lets through. A remark for operators, so it needs
 * no durability.
 */
final class SkipMark {

    private static final int LONGEST = 4096;

    private final Path file;

    SkipMark(Path hostRoot) {
        this.file = hostRoot.resolve("run/imex-agent/gate-skipped");
    }

    /** The reason of the last start that was skipped; empty where none was, or it cannot be read. */
    Optional<String> reason() {
        try (var bytes = Files.newInputStream(file)) {
            String text = new String(bytes.readNBytes(LONGEST), StandardCharsets.UTF_8);
            return text.lines().findFirst().filter(line -> !line.isBlank());
        } catch (IOException absent) {
            return Optional.empty();
        }
    }

    /** Leaves the mark. */
    void leave(String reason) throws IOException {
        PassingFile.replace(file, reason.replace('\n', ' ') + "\n");
    }

    /** Takes the mark away. */
    void remove() throws IOException {
        try {
            Files.delete(file);
        } catch (NoSuchFileException none) {
            // Most starts are not skipped.
        }
    }
}
