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

    /** The system property that names another executable of the agent than the checkout's. */
    public static final String AGENT = "imexagent.executable";

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

    /** The agent's launcher in the checkout, which runs it on HotSpot. */
    public Path launcher() {
        return root.resolve(EXECUTABLE);
    }

    /** Whether {@link #AGENT} names another executable. */
    public static boolean another() {
        return System.getProperty(AGENT) != null;
    }

    /** The executable that {@link #AGENT} names, such as a native image's or an installed agent's; else the launcher. */
    public Path executable() {
        return root.resolve(System.getProperty(AGENT, EXECUTABLE.toString()));
    }

    /** What it runs: jars, JVM options, the class cache where there is one. {@code -Dimexagent.image} names another. */
    public Path image() {
        return root.resolve(System.getProperty("imexagent.image", "agent/target/image"));
    }
}
