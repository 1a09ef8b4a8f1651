package io.imexagent.imex.gate;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The gate over a real host: asks it, and where it decides a start of the unit, leaves word for the agent. */
public final class HostGate {

    private final Path root;
    private final ImexServiceSettings service;
    private final Supplier<NvmlWords> nvml;
    private final LongSupplier nanoTime;
    private final Duration age;

    /**
     * A gate.
     *
     * @param root the folder under which the files of the host stand
     * @param service what it goes by
     * @param nvml reads NVML; asked only where PCI devices do not decide, and may block for ever
     * @param nanoTime the monotonic clock
     * @param age how long ago the process began, which counts too
     */
    public HostGate(
            Path root, ImexServiceSettings service, Supplier<NvmlWords> nvml, LongSupplier nanoTime, Duration age) {
        this.root = root;
        this.service = service;
        this.nvml = nvml;
        this.nanoTime = nanoTime;
        this.age = age;
    }

    /** Whether nvidia-imex should run. Ends within ten seconds. */
    public GateVerdict ask() throws InterruptedException {
        return new Gate(new GateRule(service), new HostQuestions(root, nvml, nanoTime, age)).ask();
    }

    /**
     * Leaves word of a start that was decided: the agent tells when one that was skipped has become possible.
     *
     * @return why no word could be left; the verdict holds all the same
     */
    public Optional<String> leaveWord(GateVerdict verdict) {
        var mark = new SkipMark(root);
        try {
            switch (verdict) {
                case GateVerdict.Open open -> mark.remove();
                case GateVerdict.Undetermined undetermined -> {}
                case GateVerdict.Closed closed -> {
                    if (closed.cause() == GateVerdict.Cause.SWITCHED_OFF) {
                        mark.remove();
                    } else {
                        mark.leave(closed.reason());
                    }
                }
            }
            return Optional.empty();
        } catch (IOException failure) {
            return Optional.of("no word could be left for the agent: "
                    + failure.getClass().getSimpleName() + ": " + failure.getMessage());
        }
    }
}
