package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigFault;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.HostSide;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.imex.gate.Gate;
import io.imexagent.imex.gate.Gate.GateVerdict;
import io.imexagent.imex.gate.SkippedStart;
import io.imexagent.imex.probe.NvmlProbe;
import java.time.Duration;
import java.util.List;

/** {@code imex-agent gate}. */
record GateCommand(ConfigLoader loader, ThisProcess process) {

    static final String UNIT = "--unit";
    private static final Duration LONGEST_START = Duration.ofSeconds(8);

    Command command() {
        var spec = Command.described(
                        CommandLineTool.GATE,
                        "Say whether nvidia-imex should run on this host, within 10 s.",
                        "Ends with 0 where it should; with 10 to 14 where it should not: 10 the gate is switched off,"
                                + " 11 the vendor is not in the list, 12 there is no GPU, 13 the GPU does not support IMEX,"
                                + " 14 the driver is not up; with 255 where it cannot tell.")
                .addOption(GlobalOptions.toggle(
                        "Decide a start of nvidia-imex.service, as its drop-in does: a gate that is switched"
                                + " off lets it start, and a start that is skipped is remembered, so that the agent"
                                + " reports when it becomes possible.",
                        UNIT));
        return new Command(
                GlobalOptions.configurable(spec),
                invocation -> run(GlobalOptions.sources(invocation), invocation.has(UNIT), invocation.surroundings()));
    }

    ExitCode run(ConfigSources sources, boolean unit, Environment surroundings) throws InterruptedException {
        return switch (loader.loadHostSide(sources)) {
            case LoadResult.Loaded(HostSide side) -> {
                // What keeps the agent from starting decides nothing here.
                side.elsewhere()
                        .forEach(fault -> surroundings.warn(
                                "a fault of the configuration that the gate does not go by: " + fault.text()));
                GateVerdict verdict = verdict(side);
                if (unit) {
                    new SkippedStart(side.host().root(), side::service)
                            .leaveWord(verdict)
                            .ifPresent(surroundings::warn);
                }
                yield end(verdict, unit, surroundings);
            }
            // Where the configuration cannot be read, neither can what it says about this host.
            case LoadResult.Faulty(List<ConfigFault> faults) -> {
                CommandLineTool.refused(faults, surroundings);
                yield ExitCode.GATE_UNDETERMINED;
            }
        };
    }

    /** At boot, when all start at once, a JVM may need a second to begin. A clock that was set meanwhile counts for nothing. */
    private Duration age() {
        Duration age = ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> Duration.between(start, process.clock().instant()))
                .orElse(Duration.ZERO);
        return age.isNegative() || age.compareTo(LONGEST_START) > 0 ? Duration.ZERO : age;
    }

    private GateVerdict verdict(HostSide side) throws InterruptedException {
        try {
            return new Gate(
                            side.host().root(),
                            side.service(),
                            () -> new NvmlProbe(LocalHost.nvml(side.host(), side.nvml(), false)).read(),
                            process.nanoTime(),
                            age())
                    .ask();
        } catch (RuntimeException defect) {
            return new GateVerdict.Undetermined("the gate is broken: " + defect + "; report this defect");
        }
    }

    /** Prints the verdict, and ends with its code. A gate that is switched off holds no start of the unit back. */
    static ExitCode end(GateVerdict verdict, boolean unit, Environment surroundings) {
        return switch (verdict) {
            case GateVerdict.Open(String reason) -> {
                surroundings.out().println("nvidia-imex should run here: " + reason);
                yield ExitCode.OK;
            }
            case GateVerdict.Closed(GateVerdict.Cause cause, String reason) -> {
                boolean passes = unit && cause == GateVerdict.Cause.SWITCHED_OFF;
                surroundings
                        .out()
                        .println((passes ? "nvidia-imex may start: " : "nvidia-imex should not run here: ") + reason);
                yield passes ? ExitCode.OK : code(cause);
            }
            case GateVerdict.Undetermined(String reason) -> {
                surroundings.warn("cannot tell whether nvidia-imex should run here: " + reason);
                yield ExitCode.GATE_UNDETERMINED;
            }
        };
    }

    private static ExitCode code(GateVerdict.Cause cause) {
        return switch (cause) {
            case SWITCHED_OFF -> ExitCode.GATE_SWITCHED_OFF;
            case VENDOR -> ExitCode.GATE_VENDOR;
            case NO_GPU -> ExitCode.GATE_NO_GPU;
            case NOT_CAPABLE -> ExitCode.GATE_NOT_CAPABLE;
            case NO_DRIVER -> ExitCode.GATE_NO_DRIVER;
        };
    }
}
