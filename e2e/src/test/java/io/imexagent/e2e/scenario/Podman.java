package io.imexagent.e2e.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * podman, with its store in a folder of its own. Containers have a root file system of links into {@code /usr}, which
 * they see read-only, so no image has to be fetched; they have no network.
 */
final class Podman {
    private static final long LONGEST_SECONDS = 60;

    private final Path store;
    private final Path rootFileSystem;

    private Podman(Path store, Path rootFileSystem) {
        this.store = store;
        this.rootFileSystem = rootFileSystem;
    }

    /** podman with what it needs in an empty folder. */
    static Podman in(Path folder) throws IOException {
        Path root = Files.createDirectories(folder.resolve("rootfs"));
        for (String mountPoint : List.of("dev", "etc", "proc", "run", "sys", "tmp", "usr", "var")) {
            Files.createDirectories(root.resolve(mountPoint));
        }
        for (String top : List.of("bin", "lib", "lib64")) {
            Files.createSymbolicLink(root.resolve(top), Path.of("usr", top));
        }
        return new Podman(folder, root);
    }

    /** The container runtimes of this machine; there is one at least, or end-to-end tests do not start. */
    static Stream<String> runtimes() {
        return Stream.of("crun", "runc").filter(Podman::onSearchPath);
    }

    /**
     * Runs a command in a new container that is given a CDI device, and waits for its end. It writes into a file: what a
     * container writes that ends at once sometimes gets lost on its way through podman.
     */
    Result run(String runtime, String cdiDevice, String... command) throws IOException, InterruptedException {
        return run(runtime, List.of(cdiDevice), command);
    }

    /** As above, with several CDI devices. */
    Result run(String runtime, List<String> cdiDevices, String... command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of("podman", "--runtime", runtime));
        line.addAll(List.of("--root", store.resolve("root").toString()));
        line.addAll(List.of("--runroot", store.resolve("runroot").toString()));
        line.addAll(List.of("--tmpdir", store.resolve("tmp").toString()));
        line.addAll(List.of("--storage-driver", "vfs", "--cgroup-manager", "cgroupfs"));
        line.addAll(List.of("run", "--rm", "--network=none"));
        cdiDevices.forEach(device -> line.addAll(List.of("--device", device)));
        line.addAll(List.of("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"));
        line.addAll(controlGroups(runtime));
        line.addAll(List.of("-v", "/usr:/usr:ro", "--rootfs", rootFileSystem.toString()));
        line.addAll(List.of("sh", "-c", "exec \"$@\" >/tmp/written 2>&1", "sh"));
        line.addAll(List.of(command));
        Path written = rootFileSystem.resolve("tmp/written");
        Files.deleteIfExists(written);
        Result result = execute(line);
        return Files.exists(written)
                ? new Result(result.exitCode(), (result.output() + Files.readString(written)).strip())
                : result;
    }

    /** podman lets only crun do without control groups; runc shall at least ask for no controller, nested ones have none. */
    private static List<String> controlGroups(String runtime) {
        return runtime.equals("crun") ? List.of("--cgroups=disabled") : List.of("--pids-limit=-1");
    }

    private static Result execute(List<String> line) throws IOException, InterruptedException {
        Path output = Files.createTempFile("podman", ".out");
        try {
            Process process = new ProcessBuilder(line)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(String.join(" ", line) + " did not end within " + LONGEST_SECONDS + " s:\n"
                        + Files.readString(output));
            }
            return new Result(process.exitValue(), Files.readString(output).strip());
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static boolean onSearchPath(String program) {
        try {
            return new ProcessBuilder("sh", "-c", "command -v " + program)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException noShell) {
            throw new UncheckedIOException("cannot look for " + program, noShell);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while looking for " + program, interrupted);
        }
    }

    /**
     * How a container ended.
     *
     * @param exitCode its exit code; 125 and above are podman's or the runtime's own
     * @param output what was written on both outputs
     */
    record Result(int exitCode, String output) {}
}
