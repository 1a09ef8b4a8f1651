package io.imexagent.host;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Runs programs as processes of this host. A grandchild that keeps an output open does not delay the caller. A process
 * in uninterruptible sleep outlives its kill; once {@value #MOST_HANGING} of a program do, it is not started again
 * until one of them has ended.
 */
public final class HostPrograms implements Programs {

    static final int MOST_HANGING = 3;

    /** util-linux has it on every distribution; without it only the process and its known children are killed. */
    private static final List<Path> SETSID = List.of(Path.of("/usr/bin/setsid"), Path.of("/bin/setsid"));

    /** The output of an ended program, and the end of a killed one, normally come at once. */
    private static final Duration REST = Duration.ofSeconds(1);

    private final Map<String, List<Process>> hanging = new ConcurrentHashMap<>();
    private final Optional<Path> setsid;
    private final Consumer<ProcessHandle> killer;

    /** A runner of programs. It counts the hanging processes of each program, so all callers of a program share one. */
    public HostPrograms() {
        this(SETSID, ProcessHandle::destroyForcibly);
    }

    HostPrograms(List<Path> setsid, Consumer<ProcessHandle> killer) {
        this.setsid = setsid.stream().filter(Files::isExecutable).findFirst();
        this.killer = killer;
    }

    @Override
    public ProgramOutcome run(Program program) throws InterruptedException {
        int left = hanging(program).size();
        if (left >= MOST_HANGING) {
            return new ProgramOutcome.Capped(left);
        }
        Process process;
        try {
            process = start(program);
        } catch (IOException failure) {
            return new ProgramOutcome.NotStarted(String.valueOf(failure.getMessage()));
        }
        try {
            return watch(program, process);
        } catch (InterruptedException stopping) {
            if (program.grace().isEmpty()) {
                kill(program, process);
            }
            throw stopping;
        }
    }

    /** The processes of the program that were killed and still run. */
    private List<Process> hanging(Program program) {
        List<Process> left = hanging.computeIfAbsent(program.words().getFirst(), _ -> new CopyOnWriteArrayList<>());
        left.removeIf(process -> !process.isAlive());
        return left;
    }

    private Process start(Program program) throws IOException {
        var words = new ArrayList<String>();
        if (program.apart()) {
            // setsid would report a missing program itself, in a message that looks like the program's.
            if (!Files.isExecutable(Path.of(program.words().getFirst()))) {
                throw new IOException(program.words().getFirst() + " is no program here");
            }
            // The child leads no process group, so setsid executes the program without a fork, and its process ID is
            // that of the group.
            setsid.ifPresent(path -> words.add(path.toString()));
        }
        words.addAll(program.words());
        var builder = new ProcessBuilder(words).redirectInput(new File("/dev/null"));
        if (program.showsErrors()) {
            builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        }
        if (program.apart()) {
            builder.environment().clear();
        }
        builder.environment().putAll(program.environment());
        return builder.start();
    }

    private ProgramOutcome watch(Program program, Process process) throws InterruptedException {
        Runnable flood = () -> kill(program, process);
        var out = new Output(process.getInputStream(), program, flood);
        var err = new Output(process.getErrorStream(), program, flood);
        boolean ended = process.waitFor(program.deadline().toMillis(), TimeUnit.MILLISECONDS);
        Optional<Long> left = ended ? Optional.empty() : end(program, process);
        if (!out.flooded && !err.flooded) {
            if (!ended) {
                return new ProgramOutcome.TimedOut(program.deadline(), left);
            }
            // A child that outlives the program may hold its outputs.
            boolean outHeld = !out.ended();
            boolean errHeld = !err.ended();
            if ((outHeld || errHeld) && program.apart()) {
                killGroup(process);
            }
        }
        // Not earlier: this also closes the outputs of an ended process, and output that was not read yet would be
        // lost.
        process.destroy();
        return out.flooded || err.flooded
                ? new ProgramOutcome.Flooded(program.limit())
                : new ProgramOutcome.Ended(process.exitValue(), out.text(), err.text());
    }

    /** Kills a process that exceeded its deadline; returns its process ID if it still runs. */
    private Optional<Long> end(Program program, Process process) throws InterruptedException {
        if (program.grace().isPresent()) {
            process.destroy();
        } else {
            kill(program, process);
        }
        if (process.waitFor(program.grace().orElse(REST).toMillis(), TimeUnit.MILLISECONDS)) {
            return Optional.empty();
        }
        hanging(program).add(process);
        return Optional.of(process.pid());
    }

    private void kill(Program program, Process process) {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        if (program.apart()) {
            killGroup(process);
        }
        all.forEach(killer);
    }

    private void killGroup(Process leader) {
        if (setsid.isPresent()) {
            try {
                Posix.killGroup(leader.pid());
            } catch (IOException notLoaded) {
                // Without the group, its known processes are killed one by one.
            }
        }
    }

    /** Reads one output of a process on a thread of its own. */
    private static final class Output {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final Thread reader;
        private volatile boolean flooded;

        Output(InputStream source, Program program, Runnable flood) {
            this.reader = Thread.ofPlatform().name("program-output").daemon().start(() -> read(source, program, flood));
        }

        private void read(InputStream source, Program program, Runnable flood) {
            byte[] chunk = new byte[8192];
            try {
                for (int count = source.read(chunk); count >= 0; count = source.read(chunk)) {
                    if (!add(chunk, count, program)) {
                        flooded = true;
                        flood.run();
                        return;
                    }
                }
            } catch (IOException closed) {
                // The process has been killed.
            }
        }

        private synchronized boolean add(byte[] chunk, int count, Program program) {
            bytes.write(chunk, 0, count);
            if (bytes.size() > program.limit() && program.keepsEnd()) {
                byte[] all = bytes.toByteArray();
                bytes.reset();
                bytes.write(all, all.length - program.limit() / 2, program.limit() / 2);
            }
            return bytes.size() <= program.limit();
        }

        /** Waits briefly for the end of the output; false if another process still has it open. */
        boolean ended() throws InterruptedException {
            return reader.join(REST);
        }

        synchronized String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
