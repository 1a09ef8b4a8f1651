package io.imexagent.e2e.bench;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The agent as its package installs it: the package's runtime, jars and class cache, unpacked into a folder.
 *
 * @param executable the launcher of the package, told where the rest is
 * @param packageBytes how large the package is
 */
record InstalledAgent(Path executable, long packageBytes) {

    private static final String HOME = "usr/lib64/imex-agent";

    /** The package that {@code make rpm} has built for this machine; empty where there is none. */
    static Optional<Path> builtPackage() throws IOException {
        Path folder = Checkout.find().root().resolve("target/rpm");
        String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "imex-agent-[0-9]*." + machine + ".rpm")) {
            var each = found.iterator();
            return each.hasNext() ? Optional.of(each.next()) : Optional.empty();
        }
    }

    /**
     * Unpacks a package.
     *
     * @throws IOException when that does not work, as without rpm's own tools
     */
    static InstalledAgent unpack(Path file, Path folder) throws IOException, InterruptedException {
        Path root = Files.createDirectories(folder.resolve("installed"));
        int code = new ProcessBuilder(
                        "sh", "-c", "rpm2archive - <\"$1\" | tar -xz -C \"$2\"", "sh", file.toString(), root.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start()
                .waitFor();
        Path launcher = root.resolve("usr/bin/imex-agent");
        if (code != 0 || !Files.isExecutable(launcher)) {
            throw new IOException("cannot unpack " + file + "; it takes rpm2archive (package rpm) and tar");
        }
        Path executable = Files.writeString(
                folder.resolve("imex-agent"),
                "#!/bin/sh\nIMEX_AGENT_JVM_HOME='" + root.resolve(HOME) + "' exec '" + launcher + "' \"$@\"\n");
        if (!executable.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + executable + " executable");
        }
        return new InstalledAgent(executable, Files.size(file));
    }
}
