package io.imexagent.e2e.machine;

import io.imexagent.e2e.machine.Commands.Result;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A machine: a small Debian over a layer of its own, so that nothing that is done to it stays. It is booted and powered
 * off by systemd-nspawn, and shares this process's network. Programs run in it from outside, as a console would.
 */
final class SystemdMachine implements AutoCloseable {

    /** The machine's name, and the name of its node. */
    static final String NAME = "tray-07";

    /** Longer than anything takes that works, on a busy machine too. */
    static final Duration LONG = Duration.ofMinutes(3);

    /** For a look at a machine that may be stuck. */
    private static final Duration SHORT = Duration.ofSeconds(10);

    /** The kernel's limits are inherited, since raising one needs a right that a container's root lacks. */
    private static final List<String> LIMITS =
            List.of("CORE", "MEMLOCK", "MSGQUEUE", "NICE", "NOFILE", "NPROC", "RTPRIO", "SIGPENDING", "STACK");

    private static final long POLL_MS = 50;

    private final Path directory;
    private final Path root;
    private Optional<Process> running = Optional.empty();

    private SystemdMachine(Path directory) {
        this.directory = directory;
        this.root = directory.resolve("r");
    }

    /**
     * Lays a machine out that is powered off.
     *
     * @param base the Debian that it begins with, which stays as it is
     */
    static SystemdMachine over(Path base) throws IOException, InterruptedException {
        // Short, since paths of sockets are.
        SystemdMachine machine = new SystemdMachine(Files.createTempDirectory(Path.of("/tmp"), "m"));
        Path changes = Files.createDirectories(machine.directory.resolve("changes"));
        Path work = Files.createDirectories(machine.directory.resolve("work"));
        Files.createDirectories(machine.root);
        String layers = "lowerdir=" + base + ",upperdir=" + changes + ",workdir=" + work;
        Commands.succeed(LONG, List.of("mount", "-t", "overlay", "overlay", "-o", layers, machine.root.toString()));
        machine.write("/etc/hostname", NAME + "\n");
        return machine;
    }

    /** The machine's files, whether it runs or not; not what it mounts itself, such as {@code /run}. */
    Path root() {
        return root;
    }

    /** A file of the machine by its absolute path. */
    Path file(String path) {
        return root.resolve(path.substring(1));
    }

    /** Writes a file of the machine, with its folders. */
    Path write(String path, String text) throws IOException {
        Path file = file(path);
        Files.createDirectories(file.resolveSibling(".").normalize());
        return Files.writeString(file, text);
    }

    /** Writes a program of the machine. */
    void program(String path, String text) throws IOException {
        Path file = write(path, text);
        if (!file.toFile().setExecutable(true, false)) {
            throw new IOException("cannot make " + file + " executable");
        }
    }

    /** Whether it is running. */
    boolean isOn() {
        return running.isPresent();
    }

    /** Boots and waits until nothing is left to start; says what systemd makes of it: running, or degraded. */
    String boot() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("systemd-nspawn", "--quiet", "--directory", root.toString()));
        command.addAll(List.of("--boot", "--register=no", "--keep-unit", "--console=pipe", "--link-journal=no"));
        command.addAll(List.of("--machine", NAME + "-" + ProcessHandle.current().pid()));
        command.addAll(List.of("--resolv-conf=off", "--timezone=off"));
        // What systemd needs to keep a unit from devices.
        command.addAll(List.of("--capability=CAP_BPF,CAP_NET_ADMIN,CAP_PERFMON", "--system-call-filter=bpf"));
        command.addAll(limits());
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("console").toFile());
        builder.environment().put("SYSTEMD_NSPAWN_UNIFIED_HIERARCHY", "1");
        running = Optional.of(builder.start());
        await(
                "the service manager",
                () -> init().isPresent()
                        && run("systemctl", "is-system-running").output().matches("starting|running|degraded"));
        await("nothing to be left to start", () -> !state().equals("starting"));
        return state();
    }

    private String state() throws IOException, InterruptedException {
        return run("systemctl", "is-system-running").output();
    }

    /** Powers off in order. */
    void powerOff() throws IOException, InterruptedException {
        Process process = process();
        run("systemctl", "poweroff");
        if (!process.waitFor(LONG.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("the machine is not off after " + LONG.toSeconds() + " s; " + console());
        }
        running = Optional.empty();
    }

    /** Runs a program in the machine. */
    Result run(String... command) throws IOException, InterruptedException {
        return Commands.run(LONG, inside(command));
    }

    private List<String> inside(String... command) {
        List<String> line = new ArrayList<>(List.of("nsenter", "--target", String.valueOf(initPid())));
        line.addAll(List.of("--mount", "--uts", "--ipc", "--pid", "--cgroup", "--root", "--wd"));
        line.addAll(List.of("env", "-i", "PATH=/usr/sbin:/usr/bin", "HOME=/root", "LANG=C.UTF-8"));
        line.addAll(List.of(command));
        return line;
    }

    /** Runs a program in the machine that has to succeed, and gives its output. */
    String succeed(String... command) throws IOException, InterruptedException {
        Result result = run(command);
        if (result.exitCode() != 0) {
            throw new AssertionError(
                    String.join(" ", command) + " ended with " + result.exitCode() + ":\n" + result.output());
        }
        return result.output();
    }

    /** Runs a line of shell in the machine. */
    Result shell(String line) throws IOException, InterruptedException {
        return run("sh", "-c", line);
    }

    /** Runs a program with the machine's files while it is off. */
    Result offline(String... command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of("chroot", root.toString()));
        line.addAll(List.of("env", "-i", "PATH=/usr/sbin:/usr/bin", "HOME=/root", "LANG=C.UTF-8"));
        line.addAll(List.of(command));
        return Commands.run(LONG, line);
    }

    /** A property of a unit, such as {@code ActiveState} or {@code StatusText}. */
    String property(String unit, String name) throws IOException, InterruptedException {
        return succeed("systemctl", "show", "--property", name, "--value", unit);
    }

    /** What a unit has written into the journal in this boot. */
    String journal(String unit) throws IOException, InterruptedException {
        return run("journalctl", "--boot", "--no-pager", "--output", "short-monotonic", "--unit", unit)
                .output();
    }

    /** Waits until a condition holds. */
    void await(String what, Condition condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (!condition.holds()) {
            if (running.isPresent() && !process().isAlive()) {
                throw new AssertionError("expected " + what + ", but the machine went off; " + console());
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError("expected " + what + " within " + LONG.toSeconds() + " s; " + console());
            }
            Thread.sleep(POLL_MS);
        }
    }

    /** What to read where something went wrong. */
    String console() throws IOException, InterruptedException {
        StringBuilder text = new StringBuilder("its console:\n");
        Path console = directory.resolve("console");
        text.append(Files.exists(console) ? Files.readString(console) : "");
        if (running.isPresent() && process().isAlive() && init().isPresent()) {
            text.append("its jobs:\n").append(told("systemctl", "list-jobs", "--no-pager"));
            text.append("\nits failed units:\n").append(told("systemctl", "list-units", "--failed", "--no-pager"));
            text.append("\nits processes:\n").append(told("ps", "-eo", "pid,ppid,stat,wchan:20,etimes,args"));
            text.append("\nits journal:\n").append(told("journalctl", "--boot", "--no-pager", "--lines", "150"));
        }
        return text.toString();
    }

    /** The output of a program that is asked because something is wrong already. */
    private String told(String... command) throws IOException, InterruptedException {
        try {
            return Commands.run(SHORT, inside(command)).output();
        } catch (IOException hangs) {
            return String.valueOf(hangs.getMessage());
        }
    }

    /** Takes the plug out, and everything of the machine's away. */
    @Override
    public void close() throws IOException {
        try {
            if (running.isPresent()) {
                // The first process ends after all others, so that none writes any more.
                init().filter(ProcessHandle::destroyForcibly)
                        .ifPresent(init -> init.onExit()
                                .completeOnTimeout(init, LONG.toMillis(), TimeUnit.MILLISECONDS)
                                .join());
                process().destroyForcibly().waitFor(LONG.toMillis(), TimeUnit.MILLISECONDS);
            }
            Commands.run(LONG, List.of("umount", "--recursive", "--lazy", root.toString()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a machine was taken away");
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private Process process() {
        return running.orElseThrow(() -> new IllegalStateException("the machine is off"));
    }

    private long initPid() {
        return init().orElseThrow(() -> new IllegalStateException("the machine has no init"))
                .pid();
    }

    /** The machine's process 1: what systemd-nspawn has started and not itself. */
    private Optional<ProcessHandle> init() {
        return process().children().findFirst();
    }

    private static List<String> limits() throws IOException, InterruptedException {
        List<String> options = new ArrayList<>();
        for (String limit : LIMITS) {
            String hard = Commands.succeed(
                    LONG,
                    List.of(
                            "prlimit",
                            "--noheadings",
                            "--raw",
                            "--output",
                            "HARD",
                            "--" + limit.toLowerCase(Locale.ROOT)));
            options.add("--rlimit=" + limit + "=" + hard.replace("unlimited", "infinity"));
        }
        return options;
    }

    /** Something that comes true. */
    @FunctionalInterface
    interface Condition {
        /** Whether it holds now. */
        boolean holds() throws IOException, InterruptedException;
    }
}
