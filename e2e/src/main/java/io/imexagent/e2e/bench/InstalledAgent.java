package io.imexagent.e2e.bench;

import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The agent as its package installs it, with the package's runtime, jars and class caches, unpacked into a folder.
 *
 * @param packageBytes the size of the package
 * @param root the folder that stands for {@code /}
 */
record InstalledAgent(long packageBytes, Path root) {

    private static final String LAUNCHER = "usr/bin/imex-agent";

    /** The package that {@code make rpm} has built for this machine; empty where there is none. */
    static Optional<Path> builtPackage() throws IOException {
        Path built = Checkout.find().root().resolve("target/rpm");
        String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        return Files.isDirectory(built)
                ? Checkout.files(built, "imex-agent-[0-9]*." + machine + ".rpm").stream()
                        .findFirst()
                : Optional.empty();
    }

    /** Unpacks the package into the folder. Takes rpm's own tools. */
    static InstalledAgent unpack(Path file, Path folder) throws IOException, InterruptedException {
        Path root = Files.createDirectories(folder);
        int code = new ProcessBuilder(
                        "sh", "-c", "rpm2archive - <\"$1\" | tar -xz -C \"$2\"", "sh", file.toString(), root.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start()
                .waitFor();
        if (code != 0 || !Files.isExecutable(root.resolve(LAUNCHER))) {
            throw new IOException("cannot unpack " + file + "; it takes rpm2archive (package rpm) and tar");
        }
        return new InstalledAgent(Files.size(file), root);
    }

    /** What all its files take, links once. */
    long installedBytes() throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    AgentLaunch launch(String... arguments) {
        return AgentLaunch.command(arguments)
                .executable(root.resolve(LAUNCHER))
                .environment(
                        "IMEX_AGENT_JVM_HOME",
                        root.resolve("usr/lib64/imex-agent").toString());
    }
}
