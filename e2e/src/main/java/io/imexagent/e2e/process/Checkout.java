package io.imexagent.e2e.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The checkout in this folder that this program was built in, with what was built there. */
public record Checkout(Path root) {

    /** The system property that names the folder; without it, it is looked for upwards from the working directory. */
    public static final String PROPERTY = "imexagent.checkout";

    private static final Path EXECUTABLE = Path.of("bin", "imex-agent");

    /** Finds the checkout; {@link IllegalStateException} where there is none. */
    public static Checkout find() {
        String named = System.getProperty(PROPERTY, "");
        Path start = Path.of(named).toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (Files.isExecutable(folder.resolve(EXECUTABLE))) {
                return new Checkout(folder);
            }
        }
        throw new IllegalStateException("no " + EXECUTABLE + " in " + start + " or above; set -D" + PROPERTY);
    }

    /** The files of a folder whose names match a glob, by name. */
    public static List<Path> files(Path folder, String glob) throws IOException {
        var files = new ArrayList<Path>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, glob)) {
            entries.forEach(files::add);
        }
        files.sort(null);
        return files;
    }

    /** The agent's executable, or another one that {@code -Dimexagent.executable} names, such as an installed agent's. */
    public Path executable() {
        return root.resolve(System.getProperty("imexagent.executable", EXECUTABLE.toString()));
    }

    /** What it runs: jars, JVM options, the class cache where there is one. {@code -Dimexagent.image} names another. */
    public Path image() {
        return root.resolve(System.getProperty("imexagent.image", "agent/target/image"));
    }
}
