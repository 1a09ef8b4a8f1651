package io.imexagent.imex.gate;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.files.FileFault;
import io.imexagent.files.PassingFile;
import io.imexagent.imex.probe.Machine;
import io.imexagent.imex.probe.Machine.PciGpu;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A start of nvidia-imex that the gate has skipped. The gate writes the reason to {@code /run/imex-agent/gate-skipped};
 * that file disappears at a reboot, and with a start that the gate permits. The agent reports a finding if the gate
 * would now permit the start: its driver loaded late, its fabric registered late, or the configuration has changed. The
 * agent does not start nvidia-imex; an operator does.
 */
public record SkippedStart(Path hostRoot, Supplier<ImexServiceSettings> service) {

    public static final String CODE = "imex-skipped-at-boot";

    private static final int LONGEST = 4096;

    private Path mark() {
        return hostRoot.resolve("run/imex-agent/gate-skipped");
    }

    /**
     * The file for {@code imex-agent-late-driver.service}: the seconds of uptime until which that unit repeats the
     * boot's own start of nvidia-imex, if that is enabled and not masked. The first skip of a boot sets it.
     */
    private Path lateDriver() {
        return hostRoot.resolve("run/imex-agent/driver-late");
    }

    /**
     * The verdict of a start while it is retried. A driver that comes up may fail for a moment, or have no GPU yet.
     * That skips the start, since systemd would otherwise count it as failed, and does not retry a failed unit.
     */
    public GateVerdict whileTried(GateVerdict verdict) {
        return switch (verdict) {
            case GateVerdict.Undetermined(String reason, boolean mayPass)
            when mayPass && triesGoOn() -> stillComing(reason);
            case GateVerdict.Closed(GateVerdict.GateCause cause, String reason, boolean mayPass)
            when cause == GateVerdict.GateCause.NO_GPU && mayPass && triesGoOn() -> stillComing(reason);
            case GateVerdict.Open _, GateVerdict.Closed _, GateVerdict.Undetermined _ -> verdict;
        };
    }

    private static GateVerdict stillComing(String reason) {
        return new GateVerdict.Closed(
                GateVerdict.GateCause.NO_DRIVER, "no driver that answers yet: " + reason + "; it is tried again");
    }

    /** Whether the late driver's unit retries, and the time for that is not over. */
    private boolean triesGoOn() {
        try {
            String until = Files.readString(lateDriver(), StandardCharsets.ISO_8859_1);
            return uptime() < Long.parseLong(until.strip());
        } catch (IOException | NumberFormatException none) {
            return false;
        }
    }

    private long uptime() throws IOException {
        String text = Files.readString(hostRoot.resolve("proc/uptime"), StandardCharsets.ISO_8859_1);
        return Long.parseLong(text.split("[. ]", 2)[0]);
    }

    /**
     * Writes or removes the files for this verdict. Returns the reason of a failure, which does not change the verdict.
     */
    public Optional<String> record(GateVerdict verdict) {
        try {
            switch (verdict) {
                case GateVerdict.Closed(GateVerdict.GateCause cause, String reason, boolean mayPass)
                when cause != GateVerdict.GateCause.SWITCHED_OFF -> {
                    PassingFile.replace(mark(), reason.replace('\n', ' ') + "\n");
                    keepTrying(
                            switch (cause) {
                                case NO_DRIVER, FABRIC_NOT_READY -> true;
                                case SWITCHED_OFF, VENDOR, NO_GPU, NOT_CAPABLE -> mayPass && triesGoOn();
                            });
                }
                case GateVerdict.Open _, GateVerdict.Closed _ -> {
                    Files.deleteIfExists(mark());
                    Files.deleteIfExists(lateDriver());
                }
                case GateVerdict.Undetermined _ -> {}
            }
            return Optional.empty();
        } catch (IOException failure) {
            return Optional.of("could not leave a note for the agent: " + FileFault.reason(failure));
        }
    }

    /** Starts or ends the retries; a GPU that is bound to another driver, such as vfio-pci, is no reason to retry. */
    private void keepTrying(boolean mayStillCome) throws IOException {
        long seconds = service.get().keepTrying().toSeconds();
        boolean worthIt = mayStillCome
                && seconds > 0
                && new Machine(hostRoot).gpus().stream().anyMatch(PciGpu::isForNvidia);
        if (!worthIt) {
            Files.deleteIfExists(lateDriver());
        } else if (!Files.exists(lateDriver())) {
            PassingFile.replace(lateDriver(), (uptime() + seconds) + "\n");
        }
    }

    /** The finding for the current answers of NVML; empty if no start was skipped, or the gate would skip it again. */
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

    /**
     * Whether the gate would permit the start now, by all its checks, so that an operator who follows the remedy is not
     * refused.
     */
    private boolean opens(NvmlFacts now) {
        try {
            return new Gate(service.get(), new CurrentReading(new Machine(hostRoot), now)).ask()
                    instanceof GateVerdict.Open;
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Answers the gate's queries from the agent's last reading, without waiting or querying NVML again. */
    private record CurrentReading(Machine machine, NvmlFacts facts) implements Gate.Questions {

        @Override
        public boolean driverUp() {
            return facts.driver() instanceof DriverState.LoadedDriver;
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
