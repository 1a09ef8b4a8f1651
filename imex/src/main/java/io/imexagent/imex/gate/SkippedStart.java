package io.imexagent.imex.gate;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.files.PassingFile;
import io.imexagent.imex.gate.Gate.GateVerdict;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A start of nvidia-imex that the gate has skipped. The gate leaves a mark, {@code /run/imex-agent/gate-skipped} with
 * the reason, which is gone with the boot or with a start that the gate lets through. The agent reports where the gate
 * would let it through by now: its driver loaded late, or its fabric registered late, or the configuration has changed.
 * The agent does not start it; an operator does.
 */
public record SkippedStart(Path hostRoot, Supplier<ImexServiceSettings> service) {

    public static final String CODE = "imex-skipped-at-boot";

    private static final int LONGEST = 4096;

    private Path mark() {
        return hostRoot.resolve("run/imex-agent/gate-skipped");
    }

    /**
     * What {@code imex-agent-late-driver.service} goes by: the seconds of uptime until which a start that was skipped for
     * want of a driver is tried again. The first skip of a boot decides.
     */
    private Path lateDriver() {
        return hostRoot.resolve("run/imex-agent/driver-late");
    }

    /** Leaves or removes the marks of a start that was decided. Returns why that failed; the verdict holds all the same. */
    public Optional<String> leaveWord(GateVerdict verdict) {
        try {
            switch (verdict) {
                case GateVerdict.Closed(GateVerdict.Cause cause, String reason)
                when cause != GateVerdict.Cause.SWITCHED_OFF -> {
                    PassingFile.replace(mark(), reason.replace('\n', ' ') + "\n");
                    keepTrying(cause == GateVerdict.Cause.NO_DRIVER);
                }
                case GateVerdict.Open _, GateVerdict.Closed _ -> {
                    Files.deleteIfExists(mark());
                    Files.deleteIfExists(lateDriver());
                }
                case GateVerdict.Undetermined _ -> {}
            }
            return Optional.empty();
        } catch (IOException failure) {
            return Optional.of("could not leave a note for the agent: "
                    + failure.getClass().getSimpleName() + ": " + failure.getMessage());
        }
    }

    private void keepTrying(boolean withoutDriver) throws IOException {
        long seconds = service.get().keepTrying().toSeconds();
        boolean worthIt = withoutDriver
                && seconds > 0
                && Gate.listed(new Machine(hostRoot).gpus(), service.get()).isPresent();
        if (!worthIt) {
            Files.deleteIfExists(lateDriver());
        } else if (!Files.exists(lateDriver())) {
            String uptime = Files.readString(hostRoot.resolve("proc/uptime"), StandardCharsets.ISO_8859_1);
            PassingFile.replace(lateDriver(), (Long.parseLong(uptime.split("[. ]", 2)[0]) + seconds) + "\n");
        }
    }

    /** The finding, for what NVML says now; empty where nothing was skipped, or the gate would skip it again. */
    public Optional<Finding> finding(NvmlFacts now) {
        return reason().filter(skipped -> opens(now))
                .map(skipped -> Finding.warning(
                        CODE,
                        "nvidia-imex was skipped at boot, and is eligible now; it was skipped for: " + skipped,
                        "systemctl start nvidia-imex"));
    }

    private Optional<String> reason() {
        try (var bytes = Files.newInputStream(mark())) {
            String text = new String(bytes.readNBytes(LONGEST), StandardCharsets.UTF_8);
            return text.lines().findFirst().filter(line -> !line.isBlank());
        } catch (IOException absent) {
            return Optional.empty();
        }
    }

    /** What the gate would say by now, by all of its questions: who is asked to start it must not be turned away. */
    private boolean opens(NvmlFacts now) {
        try {
            return new Gate(service.get(), new Present(new Machine(hostRoot), now)).ask() instanceof GateVerdict.Open;
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The gate's questions answered with what the agent has just read: nothing waits, and NVML is not asked again. */
    private record Present(Machine machine, NvmlFacts facts) implements Gate.Questions {

        @Override
        public boolean driverUp() {
            return facts.driver() instanceof DriverState.Loaded;
        }

        @Override
        public NvmlFacts nvml(Duration within) {
            return facts;
        }

        @Override
        public void pause(Duration time) {
            throw new IllegalStateException("the gate waits though its time is over");
        }

        @Override
        public Duration elapsed() {
            return Gate.LIMIT;
        }
    }
}
