package io.imexagent.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A file that disappears at a reboot. Readers see each version whole; a crash of the host may damage it. */
public final class PassingFile {

    private PassingFile() {}

    /** Replaces the file, or creates it and its folder. One writer at a time. */
    public static void replace(Path file, String text) throws IOException {
        Files.createDirectories(file.resolveSibling(""));
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(fresh, text, StandardCharsets.UTF_8);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
