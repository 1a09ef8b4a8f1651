package io.imexagent.fabric.child;

import io.imexagent.fabric.child.ChildAnswer.CallRefused;
import io.imexagent.fabric.child.ChildAnswer.ChildSucceeded;
import io.imexagent.fabric.child.ChildAnswer.ChildTimedOut;
import io.imexagent.fabric.child.ChildAnswer.ChildUnusable;
import io.imexagent.fabric.child.ChildMessage.CallFailedReply;
import io.imexagent.fabric.child.ChildMessage.Calling;
import io.imexagent.fabric.child.ChildMessage.ChildReply;
import io.imexagent.fabric.child.ChildMessage.ChildRequest;
import io.imexagent.fabric.child.ChildMessage.ExportRequest;
import io.imexagent.fabric.child.ChildMessage.Exported;
import io.imexagent.fabric.child.ChildMessage.ImportRequest;
import io.imexagent.fabric.child.ChildMessage.Imported;
import io.imexagent.fabric.child.ChildMessage.LibraryOpened;
import io.imexagent.fabric.child.ChildMessage.OpenRequest;
import io.imexagent.fabric.child.ChildMessage.ReleaseRequest;
import io.imexagent.fabric.child.ChildMessage.Released;
import io.imexagent.fabric.child.ChildMessage.Unable;
import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.host.PipedProcess;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The parent's side of a child process that calls libcuda. It sends one request at a time, with a deadline for each
 * step of the request and for the whole request. A child that misses a deadline or writes an invalid message is killed,
 * and all later requests fail with that reason. Between requests the child may be idle for any time. The child also
 * ends when this object is closed or this process ends. For one thread.
 */
public final class FabricChild implements AutoCloseable {

    /** The most unread replies, most of which announce calls; a child that writes more is blocked. */
    private static final int MOST_WAITING = 64;

    private final PipedProcess process;
    private final ChildDeadlines deadlines;
    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>(MOST_WAITING);
    private Optional<ChildAnswer<?>> death = Optional.empty();

    /** A reply, or the reason why no more will come. */
    private sealed interface Received {
        record Reply(ChildReply reply) implements Received {}

        record Broken(Optional<String> reason) implements Received {}
    }

    private FabricChild(PipedProcess process, ChildDeadlines deadlines) {
        this.process = process;
        this.deadlines = deadlines;
        Thread.ofVirtual().name("fabric-child").start(this::receive);
    }

    /** Launches a child, which has not loaded libcuda yet. */
    public static FabricChild launch(ChildLauncher launcher, ChildDeadlines deadlines) throws IOException {
        return new FabricChild(launcher.launch(), deadlines);
    }

    /** Loads and initialises libcuda of the driver below this root; returns the GPUs that libcuda reports. */
    public ChildAnswer<List<FabricGpu>> open(Path driverRoot) throws InterruptedException {
        return ask(
                new OpenRequest(driverRoot.toString()),
                reply -> reply instanceof LibraryOpened opened ? Optional.of(opened.gpus()) : Optional.empty());
    }

    /**
     * Allocates memory of a GPU and exports it; the export lasts until it is released or the child ends.
     *
     * @param nonce 32 hex digits, which are written to the start of the memory at level data
     */
    public ChildAnswer<FabricExport> export(String gpu, FabricLevel level, String nonce) throws InterruptedException {
        return ask(
                new ExportRequest(gpu, level, nonce),
                reply -> reply instanceof Exported(FabricExport export) ? Optional.of(export) : Optional.empty());
    }

    /**
     * Imports memory, does the steps of the level on a GPU, and releases the import at once, since it pins the
     * exporter's memory. At level data the answer has the nonce that was read.
     */
    public ChildAnswer<Optional<String>> importMemory(String gpu, FabricLevel level, FabricExport export)
            throws InterruptedException {
        return ask(
                new ImportRequest(gpu, level, export.handle(), export.bytes()),
                reply -> reply instanceof Imported(Optional<String> nonce) ? Optional.of(nonce) : Optional.empty());
    }

    /** Releases all memory that the child has exported. */
    public ChildAnswer<Boolean> release() throws InterruptedException {
        return ask(new ReleaseRequest(), reply -> reply instanceof Released ? Optional.of(true) : Optional.empty());
    }

    /** Whether the child still answers requests. */
    public boolean alive() {
        return death.isEmpty();
    }

    /** The process ID of the child, for messages. */
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.close();
    }

    private <T> ChildAnswer<T> ask(ChildRequest request, Function<ChildReply, Optional<T>> expected)
            throws InterruptedException {
        if (death.isPresent()) {
            return dead();
        }
        try {
            OutputStream in = process.in();
            in.write((request.json() + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (IOException gone) {
            return die(new ChildUnusable<>("the child process is gone: " + process.end()));
        }
        return await(expected);
    }

    private <T> ChildAnswer<T> await(Function<ChildReply, Optional<T>> expected) throws InterruptedException {
        String step = "the start of the child process";
        Duration deadline = deadlines.start();
        long end = System.nanoTime() + deadlines.whole().toNanos();
        while (true) {
            long left = Math.min(deadline.toNanos(), end - System.nanoTime());
            Received next = received.poll(left, TimeUnit.NANOSECONDS);
            switch (next) {
                case null -> {
                    return die(new ChildTimedOut<>(step, left < deadline.toNanos() ? deadlines.whole() : deadline));
                }
                case Received.Broken(Optional<String> reason) -> {
                    return die(new ChildUnusable<>(
                            "the child process " + reason.orElse("wrote no answer") + ": " + process.end()));
                }
                case Received.Reply(Calling(CudaCall call)) -> {
                    step = call.symbol();
                    deadline = call == CudaCall.INIT ? deadlines.init() : deadlines.call();
                }
                case Received.Reply(CallFailedReply(var call, var result)) -> {
                    return new CallRefused<>(call, result);
                }
                case Received.Reply(Unable(String reason)) -> {
                    return new ChildUnusable<>(reason);
                }
                case Received.Reply(ChildReply reply) -> {
                    Optional<T> value = expected.apply(reply);
                    return value.<ChildAnswer<T>>map(ChildSucceeded::new)
                            .orElseGet(() -> die(
                                    new ChildUnusable<>("the child process answered something else than it was to")));
                }
            }
        }
    }

    private <T> ChildAnswer<T> die(ChildAnswer<T> answer) {
        process.close();
        death = Optional.of(answer);
        return answer;
    }

    private <T> ChildAnswer<T> dead() {
        return new ChildUnusable<>(
                "its process is gone: " + death.map(ChildAnswer::words).orElse(""));
    }

    private void receive() {
        try {
            var lines = new BoundedLines(new BufferedInputStream(process.out()));
            for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
                received.put(new Received.Reply(ChildMessage.reply(line.get())));
            }
            received.put(new Received.Broken(Optional.empty()));
        } catch (IOException fault) {
            received.offer(new Received.Broken(Optional.of("wrote what is no answer (" + fault.getMessage() + ")")));
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }
}
