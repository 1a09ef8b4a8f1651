package io.imexagent.agent.cli;

import io.imexagent.imex.document.HealthText;
import io.imexagent.imex.document.ImexDocument;
import io.imexagent.imex.health.ImexHealth;
import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent health}. */
final class HealthCommand implements Command {

    static final String NAME = "health";

    private final Configured configured;
    private final HealthSource source;

    HealthCommand(Configured configured, HealthSource source) {
        this.configured = configured;
        this.source = source;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name(NAME).addOption(GlobalOptions.output());
        spec.usageMessage()
                .description(
                        "Look at the host's nvidia-imex once, reading only: its daemon, its domain with the connections"
                                + " between the nodes, and one verdict with the likely cause and the next step.",
                        "Ends with " + ExitCode.OK.number() + " where all is well, "
                                + ExitCode.IMEX_DEGRADED.number()
                                + " where the domain is degraded or nobody can tell, "
                                + ExitCode.IMEX_DOWN.number() + " where no workload of this node can use it, "
                                + ExitCode.IMEX_NOT_APPLICABLE.number() + " where it has nothing to do here; "
                                + ExitCode.HEALTH_USAGE.number() + " where the command line is wrong, "
                                + ExitCode.CONFIGURATION.number() + " where the configuration is, "
                                + ExitCode.HEALTH_FAILED.number() + " where it could not look.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            ImexHealth health = source.look(effective.config());
            invocation.print(() -> HealthText.of(health, invocation.colours()), () -> ImexDocument.of(health));
            return switch (health.verdict().level()) {
                case UP -> ExitCode.OK;
                case DEGRADED, UNKNOWN -> ExitCode.IMEX_DEGRADED;
                case DOWN -> ExitCode.IMEX_DOWN;
                case NOT_APPLICABLE -> ExitCode.IMEX_NOT_APPLICABLE;
            };
        });
    }

    /** What other commands end with where they fail stands for verdicts here; so failures have codes of their own. */
    static ExitCode apart(ExitCode code) {
        return switch (code) {
            case USAGE -> ExitCode.HEALTH_USAGE;
            case FAILED -> ExitCode.HEALTH_FAILED;
            default -> code;
        };
    }
}
