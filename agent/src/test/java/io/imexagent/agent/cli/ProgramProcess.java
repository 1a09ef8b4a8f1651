package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.runtime.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The program as a process, started by a file of options as in the image, which children of it are started by, too; or by the
 * executable of the agent that {@code -Dimexagent.executable} names. What it writes goes to files.
 */
final class ProgramProcess implements AutoCloseable {

    /** Longer than anything takes that works, on a busy machine too; waiting ends as soon as it has happened. */
    private static final Duration LONG = Duration.ofSeconds(90);

    /**
     * A {@code /dev} of its own, as a container or a host with a driver has it, in a mount namespace that ends with the
     * process: what of the driver the C fakes look for, and the file of a termination message. The linker's cache is replaced
     * by one that knows the fake's folder, as the NVIDIA runtime does in containers.
     */
    private static final String SCRIPT = """
            set -eu
            new=$1 message=$2 cache=$3
            shift 3
            mount -t tmpfs tmpfs "$new"
            for node in null zero random urandom; do
              : >"$new/$node"
              mount --bind "/dev/$node" "$new/$node"
            done
            mkdir "$new/shm"
            : >"$new/nvidiactl"
            : >"$new/nvidia0"
            : >"$new/nvidia-uvm"
            : >"$new/termination-log"
            mount --bind "$message" "$new/termination-log"
            mount --bind "$cache" /etc/ld.so.cache
            mount --move "$new" /dev
            exec "$@"
            """;

    private final Process process;
    private final Path out;
    private final Path err;

    private ProgramProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** Starts the program with these arguments; its files go into the folder. */
    static ProgramProcess start(Path folder, Map<String, String> environment, String... arguments) throws IOException {
        return start(folder, List.of(), Main.class, environment, arguments);
    }

    /**
     * Starts the program, or another in its place, as root, with a {@code /dev} of its own and the libraries of a folder in
     * the linker's cache. {@link #message} then has its termination message.
     */
    static ProgramProcess startInContainer(
            Path folder, Path libraries, Class<?> program, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        Path cache = folder.resolve("ld.so.cache");
        Process linker = new ProcessBuilder("/sbin/ldconfig", "-X", "-C", cache.toString(), libraries.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("ldconfig").toFile())
                .start();
        assertThat(linker.waitFor())
                .as(Files.readString(folder.resolve("ldconfig")))
                .isZero();
        Path dev = Files.createDirectory(folder.resolve("new-dev"));
        Path message = Files.createFile(message(folder));
        return start(
                folder,
                List.of(
                        "unshare",
                        "--mount",
                        "--propagation",
                        "private",
                        "--",
                        "sh",
                        "-c",
                        SCRIPT,
                        "sh",
                        dev.toString(),
                        message.toString(),
                        cache.toString()),
                program,
                environment,
                arguments);
    }

    private static ProgramProcess start(
            Path folder, List<String> before, Class<?> program, Map<String, String> environment, String... arguments)
            throws IOException {
        // A build may run where INT is ignored, as in the background of a shell, and its children would inherit that.
        List<String> words = new ArrayList<>(List.of("env", "--default-signal=INT"));
        words.addAll(before);
        words.addAll(program(folder, program));
        words.addAll(List.of(arguments));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        var builder = new ProcessBuilder(words)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("IMEX_AGENT_"));
        builder.environment().put("IMEX_AGENT_JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        return new ProgramProcess(builder.start(), out, err);
    }

    private static List<String> program(Path folder, Class<?> program) throws IOException {
        String executable = System.getProperty("imexagent.executable", "");
        if (program == Main.class && !executable.isEmpty()) {
            return List.of(executable);
        }
        Path options = Files.writeString(folder.resolve("container.options"), """
                -XX:+UseSerialGC
                -XX:TieredStopAtLevel=1
                -Xmx128m
                --enable-native-access=ALL-UNNAMED
                --sun-misc-unsafe-memory-access=allow
                -Djna.nosys=true
                -cp
                "%s"
                %s
                """.formatted(
                        System.getProperty("java.class.path"), program.getName()));
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "@" + options);
    }

    /** Where the termination message of a process of this folder is. */
    static Path message(Path folder) {
        return folder.resolve("termination-log");
    }

    String out() throws IOException {
        return Files.readString(out);
    }

    String err() throws IOException {
        return Files.readString(err);
    }

    List<ProcessHandle> children() {
        return process.descendants().toList();
    }

    /** Something that is read until it holds. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    /** Waits until this holds, for as long as the process runs. */
    void await(String what, Condition condition) throws Exception {
        long end = System.nanoTime() + LONG.toNanos();
        while (true) {
            boolean ended = !process.isAlive();
            if (condition.holds()) {
                return;
            }
            if (ended || System.nanoTime() > end) {
                throw new AssertionError("no " + what + (ended ? " before the end" : " in time") + ":\n" + output());
            }
            Thread.sleep(20);
        }
    }

    /** Sends a signal, by its name without SIG. */
    void signal(String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Waits for the end; the exit code, 128 and its number where a signal ended it. */
    int awaitEnd() throws IOException, InterruptedException {
        assertThat(process.waitFor(LONG.toMillis(), TimeUnit.MILLISECONDS))
                .as("it ends: " + output())
                .isTrue();
        return process.exitValue();
    }

    String output() throws IOException {
        return out() + err();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
    }
}
