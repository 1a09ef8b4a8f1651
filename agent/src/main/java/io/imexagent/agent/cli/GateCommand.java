package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigFault;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.HostSideResult;
import io.imexagent.imex.gate.GateVerdict;
import java.util.List;
import java.util.Set;

/** {@code imex-agent gate}. */
final class GateCommand {

    static final String NAME = "gate";
    static final String UNIT = "--unit";

    /** The switches of the short way. */
    static final Set<String> SWITCHES = Set.of(UNIT);

    private final ConfigLoader loader;
    private final Collaborators.GateSource source;

    GateCommand(ConfigLoader loader, Collaborators.GateSource source) {
        this.loader = loader;
        this.source = source;
    }

    /** The command on the long way. */
    Command command() {
        var spec = Command.described(
                        NAME,
                        "Tell whether nvidia-imex should run on this host, within 10 s.",
                        "Ends with 0 where it should; with 10 to 14 where it should not: 10 the gate is switched off,"
                                + " 11 the vendor is not in the list, 12 there is no GPU, 13 the GPU does not take IMEX,"
                                + " 14 the driver is not up; with 255 where it could not be found out.")
                .addOption(GlobalOptions.toggle(
                        "Decide a start of nvidia-imex.service, as its drop-in does: a gate that is switched"
                                + " off lets it start, and a start that is skipped is remembered, so that the"
                                + " agent tells when it has become possible.",
                        UNIT));
        return new Command(
                GlobalOptions.configurable(spec),
                invocation -> run(GlobalOptions.sources(invocation), invocation.has(UNIT), invocation.surroundings()));
    }

    /** Decides, on either way. */
    ExitCode run(ConfigSources sources, boolean unit, Environment surroundings) throws InterruptedException {
        return switch (loader.loadHostSide(sources)) {
            case HostSideResult.Loaded(AgentConfig config, List<ConfigFault> elsewhere) -> {
                tellOf(elsewhere, surroundings);
                GateVerdict verdict = verdict(config);
                if (unit) {
                    source.leaveWord(config, verdict)
                            .ifPresent(why -> surroundings.err().println(CommandLineTool.NAME + ": " + why));
                }
                tell(verdict, unit, surroundings);
                yield code(verdict, unit);
            }
            // Where the configuration cannot be read, neither can what it says about this host.
            case HostSideResult.Faulty(List<ConfigFault> faults) -> {
                Configured.refused(faults, surroundings.err());
                yield ExitCode.GATE_UNDETERMINED;
            }
        };
    }

    /** What keeps the agent from starting is told and decides nothing here. */
    private static void tellOf(List<ConfigFault> elsewhere, Environment surroundings) {
        elsewhere.forEach(fault -> surroundings
                .err()
                .println(CommandLineTool.NAME + ": a fault of the configuration that the gate does not go by: "
                        + fault.text()));
    }

    private GateVerdict verdict(AgentConfig config) throws InterruptedException {
        try {
            return source.ask(config);
        } catch (RuntimeException defect) {
            return new GateVerdict.Undetermined("the gate is broken: " + defect + "; report this defect");
        }
    }

    private static void tell(GateVerdict verdict, boolean unit, Environment surroundings) {
        switch (verdict) {
            case GateVerdict.Open open -> surroundings.out().println("nvidia-imex should run here: " + open.reason());
            case GateVerdict.Closed closed ->
                surroundings
                        .out()
                        .println(
                                (passes(closed, unit) ? "nvidia-imex may start: " : "nvidia-imex should not run here: ")
                                        + closed.reason());
            case GateVerdict.Undetermined undetermined ->
                surroundings
                        .err()
                        .println(CommandLineTool.NAME + ": whether nvidia-imex should run here could not be found out: "
                                + undetermined.reason());
        }
    }

    /** A gate that is switched off holds nobody back. */
    private static boolean passes(GateVerdict.Closed closed, boolean unit) {
        return unit && closed.cause() == GateVerdict.Cause.SWITCHED_OFF;
    }

    private static ExitCode code(GateVerdict verdict, boolean unit) {
        return switch (verdict) {
            case GateVerdict.Open open -> ExitCode.OK;
            case GateVerdict.Closed closed -> passes(closed, unit) ? ExitCode.OK : code(closed.cause());
            case GateVerdict.Undetermined undetermined -> ExitCode.GATE_UNDETERMINED;
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
