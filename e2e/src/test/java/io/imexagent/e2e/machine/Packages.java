package io.imexagent.e2e.machine;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The packages under test.
 *
 * @param agent the one that {@code make rpm} has built
 * @param policy the module for SELinux, built with it
 * @param source the one that it was built from
 * @param previous one of an earlier release, with other contents
 * @param imex a stand-in for nvidia-imex
 * @param base a stand-in for the distribution: it provides what RHEL 9 does, and nothing else
 */
record Packages(Path agent, Path policy, Path source, Path previous, Path imex, Path base) {

    /** The system property that names the folder of packages. */
    static final String PROPERTY = "imexagent.packages";

    private static final String AGENT = "imex-agent-[0-9]*." + architecture() + ".rpm";

    /** The folder that e2e/bin/e2e-host has filled. */
    static Path folder() {
        return Path.of(System.getProperty(
                PROPERTY, Checkout.find().root().resolve("target/rpm").toString()));
    }

    /** The packages in that folder. */
    static Packages find() throws IOException {
        Path folder = folder();
        return new Packages(
                one(folder, AGENT),
                one(folder, "imex-agent-selinux-[0-9]*.noarch.rpm"),
                one(folder, "imex-agent-[0-9]*.src.rpm"),
                one(folder.resolve("tests"), "imex-agent-[0-9]*.rpm"),
                one(folder.resolve("tests"), "nvidia-imex-[0-9]*.rpm"),
                one(folder.resolve("tests"), "distribution-*.rpm"));
    }

    /** Copies the agent's packages and what they need into a machine, and says where they are there. */
    Packages into(SystemdMachine machine) throws IOException {
        List<Path> copies = new ArrayList<>();
        Path folder = Files.createDirectories(machine.file("/srv/packages"));
        for (Path one : List.of(agent, policy, previous, base)) {
            Path copy = folder.resolve((one.equals(previous) ? "previous-" : "") + one.getFileName());
            Files.copy(one, copy);
            copies.add(Path.of("/srv/packages").resolve(copy.getFileName().toString()));
        }
        return new Packages(copies.get(0), copies.get(1), source, copies.get(2), imex, copies.get(3));
    }

    /** Whether the agent's package holds a native image, and no Java runtime, jars or class cache. */
    static boolean haveNativeImage() throws IOException, InterruptedException {
        return query(one(folder(), AGENT), "--provides").contains("bundled(graalvm-substratevm) = ");
    }

    /** Runs rpm on the host, for questions to package files. */
    static String query(Path file, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("rpm", "-qp"));
        command.addAll(List.of(arguments));
        command.add(file.toString());
        return Commands.succeed(Duration.ofSeconds(30), command);
    }

    /** The architecture of what is under test, as rpm calls it: this machine's, unless a system property says another. */
    static String architecture() {
        String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        return System.getProperty("imexagent.architecture", machine);
    }

    private static Path one(Path folder, String pattern) throws IOException {
        List<Path> found = Checkout.files(folder, pattern);
        if (found.size() != 1) {
            throw new IOException(
                    "expected one package " + pattern + " in " + folder + ", found " + found + "; run: make rpm");
        }
        return found.getFirst();
    }
}
