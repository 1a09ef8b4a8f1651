package io.imexagent.e2e.reachability;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder of the image's class path that holds its reachability metadata. */
public final class ReachabilityFolder {

    private static final Path FILE =
            Path.of("META-INF", "native-image", "io.imexagent", "imex-agent", "reachability-metadata.json");

    private ReachabilityFolder() {}

    /** Writes the metadata of the jars in a folder, and returns the file. */
    public static Path write(Path libraries, Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, document(libraries).toPrettyString() + "\n");
    }

    static ObjectNode document(Path libraries) throws IOException {
        return ReachabilityRules.of(libraries).document();
    }
}
