package io.imexagent.imex.gate;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Notices that the gate has skipped nvidia-imex and would let it through by now: its driver loaded late, or its fabric
 * registered late, or the configuration has changed. The agent does not start it; an operator does.
 */
public final class SkippedStart {

    /** The finding's code. */
    public static final String CODE = "imex-skipped-at-boot";

    private final SkipMark mark;
    private final Path hostRoot;
    private final Supplier<ImexServiceSettings> service;

    /**
     * For a host.
     *
     * @param hostRoot the folder under which {@code run} and {@code sys} of the host stand
     * @param service what the gate goes by, asked each time
     */
    public SkippedStart(Path hostRoot, Supplier<ImexServiceSettings> service) {
        this.mark = new SkipMark(hostRoot);
        this.hostRoot = hostRoot;
        this.service = service;
    }

    /**
     * The finding; empty where nothing was skipped, or the gate would skip it again.
     *
     * @param driver the driver as it is now
     * @param gpus the GPUs as NVML sees them now
     */
    public Optional<Finding> finding(DriverState driver, List<Gpu> gpus) {
        Optional<String> skipped = mark.reason();
        if (skipped.isEmpty() || !opens(driver, gpus)) {
            return Optional.empty();
        }
        return Optional.of(new Finding(
                CODE,
                Finding.Severity.WARNING,
                "nvidia-imex was skipped at boot, and is eligible now; it was skipped for: " + skipped.get(),
                "systemctl start nvidia-imex"));
    }

    /** What the gate would say by now, by all of its questions: whoever is told to start it must not be turned away. */
    private boolean opens(DriverState driver, List<Gpu> gpus) {
        try {
            var gate = new Gate(new GateRule(service.get()), new PresentQuestions(hostRoot, driver, gpus));
            return gate.ask() instanceof GateVerdict.Open;
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
