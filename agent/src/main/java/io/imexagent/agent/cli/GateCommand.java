package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigFault;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.HostSide;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.imex.gate.Gate;
import io.imexagent.imex.gate.GateVerdict;
import io.imexagent.imex.gate.SkippedStart;
import io.imexagent.imex.probe.NvmlProbe;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** The command {@code imex-agent gate}. */
record GateCommand(ConfigLoader loader, ThisProcess process) {

    static final String UNIT = "--unit";
    private static final Duration LONGEST_START = Duration.ofSeconds(8);

    Command command() {
        var spec = Command.described(
                        CommandLineTool.GATE,
                        "Say whether nvidia-imex should run on this host, within 10 s.",
                        "Ends with 0 where it should; with 10 to 15 where it should not: 10 the gate is switched off,"
                                + " 11 the vendor is not in the list, 12 there is no GPU, 13 the GPU does not support IMEX,"
                                + " 14 the driver is not up, 15 the GPU is still registering in its NVLink fabric; with 255"
                                + " where it cannot tell. It starts nothing. Where the driver or the fabric comes late,"
                                + " imex-agent-late-driver.service repeats the boot's own start of nvidia-imex, if that"
                                + " is enabled and not masked.")
                .addOption(GlobalOptions.toggle(
                        "Decide a start of nvidia-imex.service, as its drop-in does: a gate that is switched"
                                + " off lets it start, and a start that is skipped is remembered, so that the agent"
                                + " reports when it becomes possible.",
                        UNIT));
        return new Command(
                spec,
                true,
                invocation -> run(GlobalOptions.sources(invocation), invocation.has(UNIT), invocation.surroundings()));
    }

    ExitCode run(ConfigSources sources, boolean unit, Environment surroundings) throws InterruptedException {
        return switch (loader.loadHostSide(sources)) {
            case LoadResult.LoadedConfig(HostSide side) -> {
                // Faults that keep the agent from starting do not affect the verdict.
                side.elsewhere()
                        .forEach(fault -> surroundings.warn(
                                "a fault of the configuration that the gate does not go by: " + fault.text()));
                GateVerdict verdict = verdict(side, unit);
                if (unit) {
                    var start = new SkippedStart(side.host().root(), side::service);
                    verdict = start.whileTried(verdict);
                    start.record(verdict).ifPresent(surroundings::warn);
                }
                yield end(verdict, unit, surroundings);
            }
            // If the configuration is unreadable, its settings for this host are unknown too.
            case LoadResult.FaultyConfig(List<ConfigFault> faults) ->
                CommandLineTool.refused(faults, surroundings) == ExitCode.USAGE
                        ? ExitCode.USAGE
                        : ExitCode.GATE_UNDETERMINED;
        };
    }

    /** The time that the JVM took to start, a second at a busy boot; zero if the clock was set meanwhile. */
    private Duration age() {
        Duration age = ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> Duration.between(start, process.clock().instant()))
                .orElse(Duration.ZERO);
        return age.isNegative() || age.compareTo(LONGEST_START) > 0 ? Duration.ZERO : age;
    }

    private GateVerdict verdict(HostSide side, boolean unit) throws InterruptedException {
        var bySimulation = new AtomicBoolean();
        try {
            GateVerdict verdict = new Gate(
                            side.host().root(),
                            side.service(),
                            () -> {
                                bySimulation.set(side.nvml().simulate().isPresent());
                                return new NvmlProbe(
                                                LocalHost.nvml(side.host(), side.nvml(), process, false),
                                                side.host().root())
                                        .read();
                            },
                            process.nanoTime(),
                            age())
                    .ask();
            return bySimulation.get() ? simulated(verdict, unit) : verdict;
        } catch (RuntimeException defect) {
            return new GateVerdict.Undetermined("the gate is broken: " + defect + "; report this defect");
        }
    }

    /** Marks a verdict of a simulated NVML for a user; for systemd it becomes undetermined. */
    private static GateVerdict simulated(GateVerdict verdict, boolean unit) {
        if (unit) {
            return new GateVerdict.Undetermined(
                    "NVML is simulated (nvml.simulate), which says nothing of the GPUs of this"
                            + " host; remove nvml.simulate from the configuration");
        }
        String suffix = " (simulated: nvml.simulate is set)";
        return switch (verdict) {
            case GateVerdict.Open(String reason) -> new GateVerdict.Open(reason + suffix);
            case GateVerdict.Closed(GateVerdict.GateCause cause, String reason, boolean mayPass) ->
                new GateVerdict.Closed(cause, reason + suffix, mayPass);
            case GateVerdict.Undetermined(String reason, boolean _) -> new GateVerdict.Undetermined(reason + suffix);
        };
    }

    /** Prints the verdict, and returns its exit code. A gate that is switched off lets the unit start. */
    static ExitCode end(GateVerdict verdict, boolean unit, Environment surroundings) {
        return switch (verdict) {
            case GateVerdict.Open(String reason) -> {
                surroundings.out().println("nvidia-imex should run here: " + reason);
                yield ExitCode.OK;
            }
            case GateVerdict.Closed(GateVerdict.GateCause cause, String reason, boolean _) -> {
                boolean passes = unit && cause == GateVerdict.GateCause.SWITCHED_OFF;
                surroundings
                        .out()
                        .println((passes ? "nvidia-imex may start: " : "nvidia-imex should not run here: ") + reason);
                yield passes ? ExitCode.OK : code(cause);
            }
            case GateVerdict.Undetermined(String reason, boolean _) -> {
                surroundings.warn("cannot tell whether nvidia-imex should run here: " + reason);
                yield ExitCode.GATE_UNDETERMINED;
            }
        };
    }

    private static ExitCode code(GateVerdict.GateCause cause) {
        return switch (cause) {
            case SWITCHED_OFF -> ExitCode.GATE_SWITCHED_OFF;
            case VENDOR -> ExitCode.GATE_VENDOR;
            case NO_GPU -> ExitCode.GATE_NO_GPU;
            case NOT_CAPABLE -> ExitCode.GATE_NOT_CAPABLE;
            case NO_DRIVER -> ExitCode.GATE_NO_DRIVER;
            case FABRIC_NOT_READY -> ExitCode.GATE_FABRIC_NOT_READY;
        };
    }
}
